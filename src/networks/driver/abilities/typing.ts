/**
 * Shows a person, or a topic of a group, that the account is writing, for so many seconds, or until a message to them is sent. `answering`
 * is the network's id of the newest message that they wrote, if the network has to know it (`DriverAbilities.typing`) and they wrote one.
 * Never rejects: if it cannot be shown, it is dropped.
 */
export type ShowTyping = (to: string, seconds: number, topic?: string, answering?: string) => Promise<void>
