import type { StoreForAll, Turn } from '../../store/store.ts'
import { type Listed, listMessages } from './message-list.ts'

/** Messages of which one is likely to be more than a reaction. */
const maxLooked = 5
/** Reads in search of it; each looks at many blocks of old messages. */
const maxReads = 5

/** The network's id of the newest message that a person wrote in a conversation; null if none is found. */
export async function newestReceived(
  store: Pick<StoreForAll, 'read'>,
  asked: { readonly organizationId: string; readonly instanceName: string; readonly address: string },
  turn: Turn,
): Promise<string | null> {
  const { address: conversation, ...place } = asked
  const nothing = { status: null, to: null, clientRef: null, createdAfter: null, createdBefore: null }
  let goOn: Listed['goOn'] = null
  for (let reads = 0; reads < maxReads; reads++) {
    const listed: Listed = await store.read(
      listMessages,
      {
        ...{ ...place, ...nothing, seen: null, direction: 'inbound', conversation, text: null },
        ...{ limit: maxLooked, before: null, place: goOn },
      },
      turn,
    )
    const found = listed.data.find(({ kind }) => kind !== 'reaction' && kind !== 'retraction')
    if (found) return found.network_message_id
    goOn = listed.goOn
    if (goOn === null) return null
  }
  return null
}
