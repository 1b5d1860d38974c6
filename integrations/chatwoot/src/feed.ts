import { type Event, isProblem, type Message, type Posthorn } from '../../../clients/javascript/src/index.ts'
import { pauseFor } from './chatwoot-request.ts'
import { sourceIdOf } from './content.ts'
import { type Log, reasonOf } from './log.ts'
import { rankOf, replyOf } from './reply-parts.ts'
import type { State } from './state.ts'

export interface FeedParts {
  readonly state: State
  readonly posthorn: Posthorn
  readonly log: Log
  readonly instance: string
  /** Names the account and inbox, in the metadata of replies. */
  readonly inboxName: string
  readonly onWork: () => void
  readonly signal: AbortSignal
}

/** The rest stays in the feed of Posthorn, which keeps events for 30 days. */
const maxIncoming = 100_000
const pageSize = 100
const waitSeconds = 25
const pauseMs = 2_000
/** Stands for the place before the oldest event that is kept. */
const oldest = 'oldest'

const types = [
  'message.received',
  'message.sent_elsewhere',
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
  'message.expired',
  'message.canceled',
  'message.unknown',
] as const

/** Stores the position from which to follow the feed the first time: from now on. */
export async function findBeginning(state: State, posthorn: Posthorn): Promise<void> {
  if (state.fact('cursor') !== undefined) return
  const { next_cursor } = await posthorn.events.list({ after: 'latest', limit: 1 })
  state.setFact('cursor', next_cursor)
}

/**
 * Follows the events of the instance until the signal aborts. What a page of events gives to do is stored in the transaction that
 * stores the position behind the page, so that nothing is missed, and nothing done twice.
 */
export async function followFeed(parts: FeedParts): Promise<void> {
  const { state, log, signal } = parts
  for (let failures = 0; !signal.aborted; ) {
    try {
      if (state.incomingCount() >= maxIncoming) await pauseFor(pauseMs, signal)
      else await takePage(parts, state.fact('cursor') ?? oldest)
      failures = 0
    } catch (error) {
      if (signal.aborted) return
      if (isProblem(error, 'cursor_expired', 'restored')) {
        log(`Events were missed: ${reasonOf(error)}`)
        state.setFact('cursor', error.nextCursor ?? oldest)
        continue
      }
      if (failures++ % 20 === 0) log(`The feed of Posthorn: ${reasonOf(error)}`)
      await pauseFor(pauseMs, signal).catch(() => undefined)
    }
  }
}

async function takePage(parts: FeedParts, cursor: string): Promise<void> {
  const { state, posthorn, instance, signal } = parts
  const query = {
    ...(cursor !== oldest && { after: cursor }),
    limit: pageSize,
    types: [...types],
    instances: [instance],
  }
  const { data, next_cursor } = await posthorn.events.list(query, { waitSeconds, signal })
  if (next_cursor === cursor) return
  state.transact(() => {
    for (const event of data) take(parts, event)
    state.setFact('cursor', next_cursor)
  })
  if (data.length > 0) parts.onWork()
}

function take({ state, inboxName }: FeedParts, event: Event): void {
  if (!('message' in event.data)) return
  const { message } = event.data
  if (event.type === 'message.received' || event.type === 'message.sent_elsewhere') {
    state.addIncoming(message.conversation, message.id, sourceIdOf(message.id, mayComeAgain(message)))
    return
  }
  const reply = replyOf(message, inboxName)
  if (!reply) return
  const rank = rankOf(event.type)
  const error = rank === 9 ? errorOf(event.type, message) : null
  state.setPart({ ...reply, rank, error })
  state.want('tick', reply.message_id)
}

function mayComeAgain({ unsupported }: Message): boolean {
  return unsupported?.type === 'undecryptable'
}

function errorOf(type: Event['type'], { error }: Message): string {
  if (type === 'message.expired') return 'It could not be sent in time.'
  if (type === 'message.canceled') return 'It was canceled.'
  if (type === 'message.unknown') return 'It is not known whether it arrived. Ask before you send it again.'
  return error?.detail ?? 'It was not sent.'
}
