/** Settings of earlier versions, and what replaced each of them. */
export const removed = {
  POSTHORN_XMPP_ITERATION_LIMIT: 'an XMPP server may demand up to 100,000 iterations',
} as const
