import type { MarketingWords } from '../../organizations/marketing-words.ts'
import type { Transaction } from '../../store/store.ts'
import { aliasesOf } from '../contacts/contact-store.ts'
import { kindOfContent } from '../content/content.ts'
import { choose } from '../marketing/choose.ts'
import { marketingWordIn } from '../marketing/stop-words.ts'
import { type Contacts, isDirect } from './contacts-of-messages.ts'
import type { IncomingMessage } from './incoming-message.ts'

interface Listening {
  readonly instance: string
  readonly organization: string
  readonly contacts: Contacts
  readonly words: MarketingWords
  readonly now: number
}

/** Keeps what people say about marketing with one of these words, in the conversation with them. */
export async function noteWords(
  tx: Transaction,
  { instance, organization, contacts, words, now }: Listening,
  messages: readonly IncomingMessage[],
): Promise<void> {
  for (const message of messages) {
    const said = isDirect(message) ? marketingWordIn(textOf(message), words) : null
    if (said === null) continue
    const address = message.sender ?? message.conversation
    const known = contacts.get(address) ?? []
    const addresses = known.length > 0 ? known : await aliasesOf(tx, { instance, address })
    const choice = said === 'stop_word' ? 'opted_out' : 'opted_in'
    const chosen = { choice, source: said, changed_at: message.sent_at } as const
    await choose(tx, { instance, organization, addresses }, chosen, now)
  }
}

/**
 * The text that a person wrote, or the title of what they tapped; none of a message that only judges or changes another. What else comes,
 * such as a vote in a poll, or the name of a place, says something about that and nothing about marketing.
 */
function textOf({ text, content, reference, file }: IncomingMessage): string {
  if (file !== null || (reference !== null && reference.type !== 'reply')) return ''
  const { button_reply, list_reply } = content
  const tapped = button_reply ?? list_reply
  if (tapped) return tapped.title
  return kindOfContent(content) === null ? (text ?? '') : ''
}
