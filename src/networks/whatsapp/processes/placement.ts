/** Occupancy of a process: the clients that each organization has there. */
export interface Occupancy {
  readonly clients: number
  readonly parties: ReadonlyMap<string, number>
}

/** Clients of a process before its organizations begin to use another one. */
const clientsPerProcess = 200

/**
 * Chooses the place of an organization's next client: one of these processes, or a new one (null). Clients of one
 * organization share processes with each other before they share with others; if all processes are taken, it shares with as
 * few organizations as can be.
 */
export function placeFor<Process extends Occupancy>(
  party: string,
  processes: readonly Process[],
  most: number,
): Process | null {
  const own = idlest(processes.filter(({ parties }) => parties.has(party)))
  if (own && own.clients < clientsPerProcess) return own
  const empty = processes.find(({ clients }) => clients === 0)
  if (empty) return empty
  return processes.length < most ? null : leastShared(processes)
}

function idlest<Process extends Occupancy>(processes: readonly Process[]): Process | undefined {
  return processes.toSorted((one, other) => one.clients - other.clients)[0]
}

function leastShared<Process extends Occupancy>(processes: readonly Process[]): Process | null {
  const order = (one: Process, other: Process) =>
    one.parties.size - other.parties.size || one.clients - other.clients
  return processes.toSorted(order)[0] ?? null
}
