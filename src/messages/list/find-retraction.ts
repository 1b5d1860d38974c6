import type { Message } from '../../contract/resources/message.ts'
import type { MessageStatus } from '../../contract/statuses.ts'
import type { StoreForAll, Turn } from '../../store/store.ts'
import { type Listed, listMessages } from './message-list.ts'

/** Retractions of a conversation of which one read returns at most so many. */
const maxLooked = 200
/** Reads in search of one, each of which looks at some hundred messages: in what is older, the network has the last word. */
const maxReads = 4

/** The statuses of a retraction that has no effect, or may have none. */
const withoutEffect: readonly MessageStatus[] = ['failed', 'expired', 'canceled', 'unknown']

/** A message that may have been retracted, and its organization. */
interface Retractable {
  readonly organizationId: string
  readonly seq: number
  readonly id: string
  readonly instance_name: string
  readonly recipient: string
}

/** Returns the retraction of a message, by its account or its writer, if there is one or one is on its way. */
export async function findRetraction(
  store: Pick<StoreForAll, 'read'>,
  { organizationId, seq, id, instance_name: instanceName, recipient: conversation }: Retractable,
  turn: Turn,
): Promise<Message | null> {
  const nothing = { status: null, to: null, clientRef: null, createdAfter: null, createdBefore: null }
  // A retraction comes after its message.
  let place: Listed['goOn'] = { below: Number.MAX_SAFE_INTEGER, downTo: seq + 1, id: null }
  for (let reads = 0; reads < maxReads && place !== null; reads++) {
    const listed: Listed = await store.read(
      listMessages,
      {
        ...{ organizationId, instanceName, conversation, ...nothing },
        ...{ seen: null, direction: null, kind: 'retraction', text: null },
        ...{ limit: maxLooked, before: null, place },
      },
      turn,
    )
    const retraction = listed.data.find((message) => retracts(message, id))
    if (retraction) return retraction
    place = listed.goOn
  }
  return null
}

const retracts = ({ relation, status }: Message, id: string) =>
  relation?.type === 'retraction' && relation.message_id === id && !withoutEffect.includes(status)
