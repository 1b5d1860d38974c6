/** The parts of other messages that the content of one shows. */
export interface Following {
  /** Ids of the buttons and rows that were chosen. */
  readonly chosen: ReadonlySet<string>
  /** The number of people who chose each answer of a poll. */
  readonly votes: ReadonlyMap<string, number>
}
