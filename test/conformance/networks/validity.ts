import { kindOfContent } from '../../../src/messages/content/content.ts'
import type { LinkStep } from '../../../src/networks/driver/abilities/linking.ts'
import type { Driver } from '../../../src/networks/driver/driver.ts'
import {
  type EndingKind,
  longestReference,
  type MessageReceived,
  maxToldAddresses,
  type Observation,
  type ReceivedFile,
} from '../../../src/networks/driver/observation.ts'
import type { NetworkError, Notice, Outcome } from '../../../src/networks/driver/outcome.ts'
import { longestReceivedSubject, longestReceivedText } from '../../../src/networks/kit/received-text.ts'
import { isMoment } from '../../../src/runtime/clock.ts'

/** Returns the fault in the form of an observation; null if there is none. */
export function faultOfObservation(driver: Driver, observation: Observation): string | null {
  switch (observation.kind) {
    case 'connection-opened':
    case 'connection-verified':
    case 'link-expired':
      return null
    case 'caught-up':
      return observation.through === null || isId(observation.through) ? null : 'caught-up names no id'
    case 'connection-lost':
    case 'credentials-refused':
    case 'connection-refused':
      return faultOfEnding(driver, observation)
    case 'link-step':
      return faultOfStep(driver, observation.step)
    case 'message-acknowledged':
      return isId(observation.network_message_id) ? null : 'message-acknowledged names no message id'
    case 'read-elsewhere':
      return isNormalized(driver, observation.conversation)
        ? null
        : 'a conversation was read that is at no normalised address'
    case 'contact-known':
      return faultOfAddresses(driver, [...observation.addresses, ...one(observation.formerly)])
    case 'typing-seen':
      return [observation.conversation, observation.from].every((one) => isNormalized(driver, one))
        ? null
        : 'a person types who is at no normalised address'
    case 'account-known':
    case 'message-received':
    case 'receipt':
    case 'message-returned':
      return faultOfParty(driver, observation)
    case 'message-sent-elsewhere':
      return faultOfSentElsewhere(driver, observation)
    case 'restriction': {
      const { restriction } = observation
      if (restriction === null) return null
      if (!isMoment(restriction.since)) return 'a restriction has no beginning'
      if (restriction.ends_at !== null && !isMoment(restriction.ends_at))
        return 'a restriction ends at no time'
      if (!Object.hasOwn(driver.restrictions ?? {}, restriction.code))
        return `nobody documented the restriction ${restriction.code}`
      return faultOfCode(restriction.code) ?? faultOfDetail(restriction.detail)
    }
    default:
      return `nobody knows an observation of the kind ${JSON.stringify((observation as { kind: unknown }).kind)}`
  }
}

type Seen<Kind extends Observation['kind']> = Extract<Observation, { kind: Kind }>

type Party = Seen<'account-known' | 'message-received' | 'receipt' | 'message-returned'>

function faultOfParty(driver: Driver, observation: Party): string | null {
  const address = observation.kind === 'account-known' ? observation.address : observation.from
  if (address === null) return faultOfMessage(driver, observation)
  const parsed = driver.parseAddress(address)
  if (!parsed.ok) return `${observation.kind} names ${address}, which is no address`
  if (parsed.address !== address) return `${observation.kind} names ${address}, which is not normalised`
  return faultOfMessage(driver, observation)
}

function faultOfMessage(driver: Driver, observation: Party): string | null {
  if (observation.kind === 'account-known')
    return URL.canParse(observation.url ?? 'about:blank') ? null : 'account-known has a link that is no URL'
  if (!isId(observation.network_message_id)) return `${observation.kind} names no message id`
  if (observation.kind === 'message-received') return faultOfReceived(driver, observation)
  return observation.kind === 'message-returned' ? faultOfError(driver, observation.error) : null
}

function faultOfSentElsewhere(driver: Driver, observation: Seen<'message-sent-elsewhere'>): string | null {
  if (!isId(observation.network_message_id)) return 'message-sent-elsewhere names no message id'
  return faultOfReceived(driver, { ...observation, kind: 'message-received', from: observation.conversation })
}

function faultOfReceived(driver: Driver, received: MessageReceived): string | null {
  const { conversation, at, text, file } = received
  const parsed = driver.parseAddress(conversation)
  if (!parsed.ok || parsed.address !== conversation) return 'a message was written where no address leads'
  if (received.addresses) {
    const fault = faultOfAddresses(driver, received.addresses)
    if (fault) return fault
    if (!received.addresses.includes(received.from))
      return 'the addresses of a person lack the one in the message'
  }
  if (!isMoment(at) || at > Date.now()) return 'a message came at no time, or in the future'
  const { subject, relation, unsupported, content } = received
  const says = [text, file, subject, unsupported, content && kindOfContent(content)].some(
    (part) => part != null,
  )
  if (!says && relation?.type !== 'retraction') return 'a message says nothing'
  if (unsupported && file !== null) return 'a message that cannot be read was read'
  if (unsupported && faultOfCode(unsupported.type)) return faultOfCode(unsupported.type)
  if (subject !== undefined && (subject === '' || subject.length > longestReceivedSubject))
    return 'a message has a subject that is empty or too long'
  const ids = [received.sender_message_id, relation?.message].filter((id) => id != null)
  if (!ids.every(isId)) return 'a message names an id that is none'
  const isWithdrawn = relation?.type === 'reaction' && text === ''
  if (
    text !== null &&
    !isWithdrawn &&
    (text === '' || text.length > longestReceivedText || !text.isWellFormed())
  )
    return 'a message has a text that is empty, too long or not well-formed'
  return file && faultOfFile(file)
}

/** The addresses of one person, each normalised, and not the same twice. */
function faultOfAddresses(driver: Driver, addresses: readonly string[]): string | null {
  if (addresses.length < 2 || addresses.length > maxToldAddresses + 1)
    return 'a person has too few addresses, or too many'
  if (new Set(addresses).size < addresses.length) return 'a person has the same address twice'
  const stray = addresses.find((address) => !isNormalized(driver, address))
  return stray === undefined ? null : `a person is known by ${stray}, which is no normalised address`
}

function isNormalized(driver: Driver, address: string): boolean {
  const parsed = driver.parseAddress(address)
  return parsed.ok && parsed.address === address
}

function one<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value]
}

function faultOfFile(file: ReceivedFile): string | null {
  if ('reference' in file) {
    const bytes = Buffer.byteLength(file.reference)
    if (bytes === 0 || bytes > longestReference) return 'a file has a reference that is none'
  } else if (!/^https?:\/\/[^/]/.test(file.url) || file.url.length > 8_000)
    return 'a file is nowhere that HTTP leads to'
  const { filename, mime_type } = file
  if (filename !== null && (!/^[^/\\\p{Cc}]+$/u.test(filename) || filename.length > 255))
    return 'a file has a name that is none'
  if (mime_type !== null && !/^[\x21-\x7e ]{1,255}$/.test(mime_type)) return 'a file has a type that is none'
  return null
}

/** Returns the fault in the form of an outcome; null if there is none. */
export function faultOfOutcome(driver: Driver, outcome: Outcome): string | null {
  switch (outcome?.kind) {
    case 'accepted':
      return faultOfNotices(driver, outcome.notices ?? [])
    case 'rejected':
      return faultOfError(driver, outcome.error)
    case 'deferred':
      if (!isMoment(outcome.until)) return 'a message was deferred until no time'
      if (outcome.error.permanent) return 'a message was deferred because of a permanent error'
      return faultOfError(driver, outcome.error)
    case 'uncertain':
      return faultOfDetail(outcome.detail)
    default:
      return `nobody knows the outcome ${JSON.stringify(outcome)}`
  }
}

function faultOfNotices({ notices = {} }: Driver, given: readonly Notice[]): string | null {
  const unknown = given.find(({ code }) => !Object.hasOwn(notices, code))
  if (unknown) return `nobody documented the notice ${unknown.code}`
  return given.map(({ code, detail }) => faultOfCode(code) ?? faultOfDetail(detail)).find(Boolean) ?? null
}

function faultOfError(driver: Driver, error: NetworkError): string | null {
  if (typeof error.permanent !== 'boolean') return 'an error does not say whether it is permanent'
  if (error.network_code !== undefined && error.network_code === '')
    return 'an error has an empty network code'
  if (!Object.hasOwn(driver.errors, error.code)) return `nobody documented the error ${error.code}`
  return faultOfCode(error.code) ?? faultOfDetail(error.detail)
}

function faultOfEnding({ reasons }: Driver, { kind, reason }: Seen<EndingKind>): string | null {
  const described = Object.hasOwn(reasons, reason.code) ? reasons[reason.code] : undefined
  if (!described) return `nobody documented the reason ${reason.code}`
  if (described.ends !== kind) return `${reason.code} is documented to be ${described.ends}, and was ${kind}`
  return faultOfCode(reason.code) ?? faultOfDetail(reason.detail)
}

/** Returns the fault of a code; null if there is none. */
export function faultOfCode(code: string): string | null {
  return /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(code)
    ? null
    : `${JSON.stringify(code)} is not a snake_case code`
}

/** Returns the fault of a text for a person; null if there is none. */
export function faultOfDetail(detail: string): string | null {
  return /^[A-Z`].*\.$/s.test(detail) ? null : `${JSON.stringify(detail)} is not a sentence`
}

function faultOfStep(driver: Driver, step: LinkStep): string | null {
  if (!driver.linking?.kinds.includes(step.kind)) return `the network links nobody by ${step.kind}`
  if (step.value === '') return 'a link step shows nothing'
  return isMoment(step.expires_at) ? null : 'a link step never expires'
}

/** A message id is kept in a column, compared as a string and shown in a log: visible ASCII, and not for ever. */
export function isId(id: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(id)
}
