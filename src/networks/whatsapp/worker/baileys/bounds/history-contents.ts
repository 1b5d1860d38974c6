import { boundedReader, type ReaderOfBytes, readFields } from './decoding.ts'

/** The longest privacy token, in bytes: those of WhatsApp have some tens. */
const longestToken = 256

/** A privacy token that a contact has given to the account (`tctoken`). */
export interface GivenToken {
  readonly token: Buffer
  /** When it was given, in seconds since the epoch. */
  readonly timestamp: number
  /** When the account last gave one to the contact, in seconds since the epoch; null if it did not. */
  readonly senderTimestamp: number | null
}

/** The part of a chat with a person that is kept. */
export interface KnownChat {
  /** By LID or phone number. */
  readonly jid: string
  readonly token: GivenToken | null
  /** After how many seconds messages disappear; 0 if they stay. */
  readonly expiration: number
  /** When that was set, in seconds since the epoch; 0 if it is not said. */
  readonly expirationSince: number
}

/** Both addresses of a person. */
export interface AddressPair {
  readonly number: string
  readonly lid: string
}

/** The part of the history that is kept: the addresses of people, and their permissions. */
export interface HistoryContents {
  readonly chats: readonly KnownChat[]
  readonly pairs: readonly AddressPair[]
}

/**
 * The fields that are read, by their numbers in `HistorySync`, `Conversation` and `PhoneNumberToLIDMapping`. Source: WAProto.proto of
 * Baileys.
 */
const historyFields = { conversations: 2, pairs: 15 }
const chatFields = {
  id: 1,
  expiration: 9,
  expirationSince: 10,
  token: 21,
  tokenTimestamp: 22,
  senderTimestamp: 28,
  number: 39,
  lid: 42,
}
const pairFields = { number: 1, lid: 2 }

const varint = 0
const delimited = 2

/**
 * Reads what is kept of an inflated part of the history. Messages and names are skipped unread, so what people wrote costs no memory, and
 * hardly counts. Throws if it has more than so many elements, or makes no sense.
 */
export function readHistory(bytes: Uint8Array, mostElements: number): HistoryContents {
  const reader = boundedReader(bytes, mostElements)
  const chats: KnownChat[] = []
  const pairs: AddressPair[] = []
  readFields(reader, bytes.length, (field, wireType) => {
    if (wireType !== delimited) return false
    if (field === historyFields.conversations) takeChat(reader, chats, pairs)
    else if (field === historyFields.pairs) takePair(readPair(reader), pairs)
    else return false
    return true
  })
  return { chats, pairs }
}

function takeChat(reader: ReaderOfBytes, chats: KnownChat[], pairs: AddressPair[]): void {
  const texts = new Map<number, string>()
  const numbers = new Map<number, number>()
  let token: Buffer | null = null
  readFields(reader, reader.uint32(), (field, wireType) => {
    const { id, number, lid } = chatFields
    const { expiration, expirationSince, tokenTimestamp, senderTimestamp } = chatFields
    if (wireType === delimited && field === chatFields.token) token = Buffer.from(reader.bytes())
    else if (wireType === delimited && [id, number, lid].includes(field)) texts.set(field, reader.string())
    else if (
      wireType === varint &&
      [expiration, expirationSince, tokenTimestamp, senderTimestamp].includes(field)
    )
      numbers.set(field, numberOf(reader))
    else return false
    return true
  })
  const jid = texts.get(chatFields.id) ?? ''
  if (!isPerson(jid)) return
  const [number, lid] = jid.endsWith(lidEnd)
    ? [texts.get(chatFields.number), jid]
    : [jid, texts.get(chatFields.lid)]
  takePair({ number: number ?? '', lid: lid ?? '' }, pairs)
  const chat = {
    jid,
    token: tokenIn(token, numbers),
    expiration: numbers.get(chatFields.expiration) ?? 0,
    expirationSince: numbers.get(chatFields.expirationSince) ?? 0,
  }
  if (chat.token || chat.expiration > 0) chats.push(chat)
}

function tokenIn(token: Buffer | null, numbers: ReadonlyMap<number, number>): GivenToken | null {
  const timestamp = numbers.get(chatFields.tokenTimestamp) ?? 0
  if (!token || token.length === 0 || token.length > longestToken || timestamp === 0) return null
  return { token, timestamp, senderTimestamp: numbers.get(chatFields.senderTimestamp) || null }
}

function readPair(reader: ReaderOfBytes): AddressPair {
  let [number, lid] = ['', '']
  readFields(reader, reader.uint32(), (field, wireType) => {
    if (wireType !== delimited) return false
    if (field === pairFields.number) number = reader.string()
    else if (field === pairFields.lid) lid = reader.string()
    else return false
    return true
  })
  return { number, lid }
}

function takePair(pair: AddressPair, pairs: AddressPair[]): void {
  if (
    isPerson(pair.number) &&
    isPerson(pair.lid) &&
    pair.number.endsWith(numberEnd) &&
    pair.lid.endsWith(lidEnd)
  )
    pairs.push(pair)
}

const numberEnd = '@s.whatsapp.net'
const lidEnd = '@lid'

/** True if it is the address of a person, without a device. */
function isPerson(jid: string): boolean {
  return /^\d{1,20}@(?:s\.whatsapp\.net|lid)$/.test(jid)
}

/** 0 for what is no number that can be counted with. */
function numberOf(reader: ReaderOfBytes): number {
  const number = Number(String(reader.uint64()))
  return Number.isSafeInteger(number) && number > 0 ? number : 0
}
