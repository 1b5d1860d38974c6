import type { IdempotencyScope, Recalled, Replies } from '../../../organizations/idempotency.ts'
import { transactionOfMany } from '../../../store/store.ts'
import { acceptJudged, weightOfMessage } from './accept.ts'
import type { MessageToAccept, Refused } from './capacity.ts'

/** The messages of one request, in the order in which they are to leave. */
export interface BatchArgs {
  readonly messages: readonly BatchedMessage[]
  /** Recognises a repetition, with the answers to store for it. */
  readonly idempotency: KeptAnswers | null
  /** False if nothing is to be stored while the instance of a message is gone. */
  readonly isFinal: boolean
}

export interface BatchedMessage extends MessageToAccept {
  /** Its place in the request. */
  readonly place: number
}

interface KeptAnswers {
  readonly scope: IdempotencyScope
  /** The answer to each entry of the request, as JSON: for a message, the one that it gets if it is accepted. */
  readonly answers: readonly string[]
  readonly now: number
}

/** The refusal of an entry, as it is stored in place of its answer. */
export interface RefusedEntry {
  readonly refused: Refused
}

export type JudgedBatch =
  /** The messages that were not accepted, by their places. */
  | { readonly kind: 'judged'; readonly refused: readonly (Refused & { readonly place: number })[] }
  /** The places of messages whose instances are gone. Nothing was stored. */
  | { readonly kind: 'instances_gone'; readonly places: readonly number[] }
  | Recalled

/** Accepts the messages of a request that can be, and stores the answers to all of them, in one commit. */
export const acceptBatch = transactionOfMany(
  'messages.accept-batch',
  (tx, batches: readonly BatchArgs[]): Promise<JudgedBatch[]> => {
    const messages = batches.flatMap((batch) => batch.messages)
    const scopes = batches.flatMap(({ idempotency }) => (idempotency ? [idempotency.scope] : []))
    return acceptJudged(tx, { messages, scopes }, ({ replies, take, isThere }) =>
      batches.map((batch): JudgedBatch => {
        const recalled = batch.idempotency && replies.find(batch.idempotency.scope)
        if (recalled) return recalled
        const gone = batch.isFinal ? [] : batch.messages.filter((message) => !isThere(message))
        if (gone.length > 0) return { kind: 'instances_gone', places: gone.map(({ place }) => place) }
        const refused = batch.messages.flatMap((message) => {
          const refusal = take(message)
          return refusal ? { ...refusal, place: message.place } : []
        })
        if (batch.idempotency) note(replies, batch.idempotency, refused)
        return { kind: 'judged', refused }
      }),
    )
  },
  {
    weigh: ({ messages }) => messages.reduce((sum, message) => sum + weightOfMessage(message), 1),
    isJson: ({ messages }) => messages.every(({ file }) => !file?.media),
  },
)

function note(
  replies: Replies,
  { scope, answers, now }: KeptAnswers,
  refused: readonly (Refused & { readonly place: number })[],
): void {
  const told = [...answers]
  for (const { place, ...refusal } of refused)
    told[place] = JSON.stringify({ refused: refusal } satisfies RefusedEntry)
  replies.note(scope, { status: 200, location: null, body: `[${told.join(',')}]` }, now)
}
