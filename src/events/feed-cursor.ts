import { readCursor, writeCursor } from '../runtime/text/cursor.ts'

/** A place in the feed: an epoch, and the number of an event in it. */
export interface FeedMark {
  readonly epoch: string
  readonly sequence: number
}

/** The cursor after an event. */
export function writeFeedCursor({ epoch, sequence }: FeedMark): string {
  return writeCursor(`${epoch}.${sequence}`)
}

/** The place that a cursor names, or undefined if the text is not a cursor of the feed. */
export function readFeedCursor(cursor: string): FeedMark | undefined {
  const [, epoch, number] = /^([0-9a-z]*)\.(\d{1,15})$/.exec(readCursor(cursor, 'string') ?? '') ?? []
  return epoch === undefined ? undefined : { epoch, sequence: Number(number) }
}
