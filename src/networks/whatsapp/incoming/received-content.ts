import {
  type ContactCard,
  maxContactCards,
  maxFlowResponse,
  maxMentions,
  type Order,
  type Poll,
} from '../../../contract/resources/content.ts'
import type { ReceivedContent } from '../../driver/observation.ts'
import { asObject, eachObjectIn, integerIn, isShallow, type Json, objectIn, textIn } from '../../kit/json.ts'
import { addressOf } from '../address.ts'
import { cardOf } from '../content/vcard.ts'
import { shownText } from './shown-text.ts'

/*
 * The content of messages besides texts and files, by the fields of the protobuf message `Message` (WAWebProtobufsE2E.proto).
 */

/** Something that a message shows, and the words that go with it. */
export interface ShownContent {
  readonly text: string | null
  readonly content: ReceivedContent
}

/** Returns what the field of a message shows; null if it is none of these, or makes no sense. */
export function shownContentIn(field: string, about: Json): ShownContent | null {
  return Object.hasOwn(readers, field) ? (readers[field]?.(about) ?? null) : null
}

const readers: Readonly<Record<string, (about: Json) => ShownContent | null>> = {
  locationMessage: (about) => locationIn(about, shownText(about, 'comment')),
  liveLocationMessage: (about) => locationIn(about, shownText(about, 'caption')),
  contactMessage: (about) => contactsIn([about]),
  contactsArrayMessage: (about) => contactsIn(eachObjectIn(about, 'contacts')),
  pollCreationMessage: pollIn,
  pollCreationMessageV2: pollIn,
  pollCreationMessageV3: pollIn,
  pollCreationMessageV5: pollIn,
  buttonsResponseMessage: (about) => {
    const title = shownText(about, 'selectedDisplayText')
    return choice('button_reply', title, textIn(about, 'selectedButtonId'))
  },
  templateButtonReplyMessage: (about) => {
    const title = shownText(about, 'selectedDisplayText')
    return choice('button_reply', title, textIn(about, 'selectedId'))
  },
  listResponseMessage: (about) => {
    const id = textIn(objectIn(about, 'singleSelectReply') ?? {}, 'selectedRowId')
    return choice('list_reply', shownText(about, 'title'), id)
  },
  interactiveResponseMessage: flowReplyIn,
  orderMessage: orderIn,
}

function locationIn(about: Json, text: string | null): ShownContent | null {
  const { degreesLatitude: latitude, degreesLongitude: longitude } = about
  if (!isWithin(latitude, 90) || !isWithin(longitude, 180)) return null
  const [name, address] = [textIn(about, 'name'), textIn(about, 'address')]
  return { text, content: { location: { latitude, longitude, name, address } } }
}

function isWithin(degrees: unknown, most: number): degrees is number {
  return typeof degrees === 'number' && Math.abs(degrees) <= most
}

function contactsIn(shared: Iterable<Json>): ShownContent | null {
  const contacts: ContactCard[] = []
  for (const each of shared) {
    if (contacts.length === maxContactCards) break
    const [name, vcard] = [textIn(each, 'displayName'), textIn(each, 'vcard')]
    if (name !== null || vcard !== null) contacts.push(cardOf(name ?? '', vcard ?? ''))
  }
  return contacts.length > 0 ? { text: null, content: { contacts } } : null
}

/** Answers of a poll that are looked at, which is as many as WhatsApp has. */
export const maxPollAnswers = 12

/** UTF-16 units of an answer that are looked at. */
const longestAnswer = 1024

function pollIn(about: Json): ShownContent | null {
  const question = shownText(about, 'name')
  if (question === null) return null
  return {
    text: null,
    content: {
      poll: { question, options: answersIn(about), multiple_answers: about.selectableOptionsCount !== 1 },
    },
  }
}

/** The answers that a poll offers. */
export function answersIn(poll: Json): Poll['options'] {
  const answers: string[] = []
  for (const option of eachObjectIn(poll, 'options')) {
    if (answers.length === maxPollAnswers) break
    const answer = textIn(option, 'optionName')
    if (answer !== null && answer.length <= longestAnswer) answers.push(answer)
  }
  return answers
}

/** A choice without words, or without an id, is a choice all the same. */
function choice(
  kind: 'button_reply' | 'list_reply',
  title: string | null,
  id: string | null,
): ShownContent | null {
  if (title === null && id === null) return null
  return { text: title, content: { [kind]: { id, title: title ?? id ?? '', payload: null } } }
}

/** Levels of nesting that the response of a form may have. */
const maxLevels = 16

function flowReplyIn(about: Json): ShownContent {
  const native = objectIn(about, 'nativeFlowResponseMessage') ?? {}
  const text = shownText(about, 'body', 'text')
  const name = textIn(native, 'name')
  return { text, content: { flow_reply: { name, response: responseIn(textIn(native, 'paramsJson') ?? '') } } }
}

/** A response that is too long, or none, is left out: what the person saw is in the text. */
function responseIn(json: string): Record<string, unknown> {
  if (json.length > maxFlowResponse) return {}
  try {
    const response = asObject(JSON.parse(json))
    return response !== null && isShallow(response, maxLevels) ? { ...response } : {}
  } catch {
    return {}
  }
}

/** The phone shows the products of an order, and asks WhatsApp for them: the message itself only says how many there are. */
function orderIn(about: Json): ShownContent {
  const order: Order = {
    catalog_id: null,
    items: [],
    items_left_out: Math.max(0, integerIn(about, 'itemCount') ?? 0),
  }
  return { text: shownText(about, 'message') ?? shownText(about, 'orderTitle'), content: { order } }
}

/** Mentions of a message that are looked at: some may be no people. */
const maxMentionsRead = 4 * maxMentions

/** Returns the people whom the context of a message mentions, and the advertisement that led to it. */
export function contextContent(about: Json): Pick<ReceivedContent, 'mentions' | 'referral'> {
  const context = objectIn(about, 'contextInfo') ?? {}
  const { mentionedJid } = context
  const named: readonly unknown[] = Array.isArray(mentionedJid) ? mentionedJid.slice(0, maxMentionsRead) : []
  const mentions = named.flatMap((jid) => (typeof jid === 'string' && addressOf(jid)) || [])
  const referral = referralIn(objectIn(context, 'externalAdReply') ?? {})
  return {
    ...(mentions.length > 0 && { mentions: [...new Set(mentions)].slice(0, maxMentions) }),
    ...(referral && { referral }),
  }
}

/** Other apps use the same field for previews of links: only what was clicked is a referral. */
function referralIn(shown: Json): ReceivedContent['referral'] | null {
  const [click_id, type] = [textIn(shown, 'ctwaClid'), textIn(shown, 'sourceType')]
  if (click_id === null && type !== 'ad' && type !== 'post') return null
  return {
    type,
    id: textIn(shown, 'sourceId'),
    url: textIn(shown, 'sourceUrl'),
    title: textIn(shown, 'title'),
    text: textIn(shown, 'body'),
    click_id,
    product_id: null,
  }
}

/** The places of words in contents that have no form here, such as the buttons of a business. */
const words: readonly (readonly [name: string, below?: string])[] = [
  ['text'],
  ['caption'],
  ['contentText'],
  ['body', 'text'],
  ['body'],
  ['hydratedTemplate', 'hydratedContentText'],
  ['hydratedFourRowTemplate', 'hydratedContentText'],
  ['description'],
  ['name'],
  ['title'],
]

/** The words of a content that has no form here; null if it has none. */
export function wordsIn(about: Json): string | null {
  for (const [name, below] of words) {
    const text = shownText(about, name, below)
    if (text !== null) return text
  }
  return null
}
