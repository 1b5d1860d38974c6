/**
 * Shows a person, or a topic of a group, that the account is writing, for so many seconds, or until a message to them is sent. Never
 * rejects: if it cannot be shown, it is dropped.
 */
export type ShowTyping = (to: string, seconds: number, topic?: string) => Promise<void>
