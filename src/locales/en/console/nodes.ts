/** The nodes that share the database. */
export const nodes = {
  copy_id: 'Copy the ID',
  delivery_parts: 'Deliveries: {parts} of 64',
  drain: 'Drain',
  drain_what:
    'The node gives its instances to the others, which interrupts the connection of each for a moment, and takes none until it is started again.',
  duties: 'Duties',
  hint: 'Nodes are the servers that share the database. To stop one without haste, drain it first, and wait until it has no instances.',
  housekeeping: 'Housekeeping',
  id: 'ID',
  instances: 'Instances',
  last_seen: 'Last seen',
  may_be_stopped: 'It may be stopped',
  started: 'Started',
  title: 'Nodes',
  version: 'Version',
} as const
