/** The quotas. */
export const quotas = {
  limit: 'Limit',
  no_limit: 'no limit',
  title: 'Quotas',
  used: 'Used',
  names: {
    file_bytes: 'Stored files',
    stored_bytes: 'Stored messages',
    unsettled_messages: 'Waiting messages',
    incoming_messages: 'Incoming messages',
    waiting_callbacks: 'Waiting callbacks',
    waiting_callback_bytes: 'Size of waiting callbacks',
  },
} as const
