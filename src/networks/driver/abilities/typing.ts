/**
 * Shows a person that the account is writing to them, for so many seconds, or until a message to them is sent. Never rejects: if it
 * cannot be shown, it is dropped.
 */
export type ShowTyping = (to: string, seconds: number) => Promise<void>
