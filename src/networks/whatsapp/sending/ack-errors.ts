/**
 * Errors with a meaning for us in WhatsApp's acknowledgements and in its answers about recipients. Source: `NackReason` of
 * WhatsApp Web (`WAWebCreateNackFromStanza`), `SERVER_ERROR_CODES` of Baileys, and the errors of groups in whatsmeow.
 */
export const ackErrors = {
  /** The account is not in the group, or may not write in it. */
  forbidden: 403,
  /** There is no such group. */
  notFound: 404,
  /** The group addresses its members in another way by now. */
  staleGroup: 421,
  rateLimited: 429,
  /** A new chat of an account that may begin none, or a message without the privacy token of its recipient. */
  restricted: 463,
  /** The account has begun as many chats as it may for a time. */
  newChatsCapped: 475,
  /** The form of the message, which includes for which devices it is. */
  malformed: 479,
} as const
