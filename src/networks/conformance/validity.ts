import type { Driver } from '../driver.ts'
import type { LinkStep, Observation, Reason } from '../observation.ts'
import type { NetworkError, Outcome } from '../outcome.ts'

/** What is wrong with the form of an observation; null where nothing is. */
export function faultOfObservation(driver: Driver, observation: Observation): string | null {
  switch (observation.kind) {
    case 'connection-opened':
    case 'connection-verified':
    case 'link-expired':
      return null
    case 'connection-lost':
    case 'credentials-refused':
    case 'connection-refused':
      return faultOfReason(observation.reason)
    case 'link-step':
      return faultOfStep(observation.step)
    case 'account-known':
    case 'message-received':
    case 'receipt':
    case 'message-returned':
      return faultOfParty(driver, observation)
    case 'restriction': {
      const { restriction } = observation
      if (restriction === null) return null
      if (!isTime(restriction.since)) return 'a restriction has no beginning'
      if (restriction.ends_at !== null && !isTime(restriction.ends_at)) return 'a restriction ends at no time'
      return faultOfCode(restriction.code)
    }
    default:
      return `nobody knows an observation of the kind ${JSON.stringify((observation as { kind: unknown }).kind)}`
  }
}

type Party = Extract<
  Observation,
  { kind: 'account-known' | 'message-received' | 'receipt' | 'message-returned' }
>

function faultOfParty(driver: Driver, observation: Party): string | null {
  const address = observation.kind === 'account-known' ? observation.address : observation.from
  const parsed = driver.parseAddress(address)
  if (!parsed.ok) return `${observation.kind} names ${address}, which is no address`
  if (parsed.address !== address) return `${observation.kind} names ${address}, which is not normalised`
  if (observation.kind === 'account-known') return null
  if (!isId(observation.network_message_id)) return `${observation.kind} names no message id`
  return observation.kind === 'message-returned' ? faultOfError(observation.error) : null
}

/** What is wrong with the form of an outcome; null where nothing is. */
export function faultOfOutcome(outcome: Outcome): string | null {
  switch (outcome?.kind) {
    case 'accepted':
      return null
    case 'rejected':
      return faultOfError(outcome.error)
    case 'deferred':
      if (!isTime(outcome.until)) return 'a message was deferred until no time'
      if (outcome.error.permanent) return 'a message was deferred because of a permanent error'
      return faultOfError(outcome.error)
    case 'uncertain':
      return faultOfDetail(outcome.detail)
    default:
      return `nobody knows the outcome ${JSON.stringify(outcome)}`
  }
}

function faultOfError(error: NetworkError): string | null {
  if (typeof error.permanent !== 'boolean') return 'an error does not say whether it is permanent'
  if (error.network_code !== undefined && error.network_code === '')
    return 'an error has an empty network code'
  return faultOfReason(error)
}

function faultOfReason(reason: Reason): string | null {
  return faultOfCode(reason.code) ?? faultOfDetail(reason.detail)
}

function faultOfCode(code: string): string | null {
  return /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(code)
    ? null
    : `${JSON.stringify(code)} is not a snake_case code`
}

function faultOfDetail(detail: string): string | null {
  return /^\S.*\S$/s.test(detail) ? null : `${JSON.stringify(detail)} is not a sentence`
}

function faultOfStep(step: LinkStep): string | null {
  if (step.value === '') return 'a link step shows nothing'
  return isTime(step.expires_at) ? null : 'a link step never expires'
}

function isTime(time: number): boolean {
  return Number.isFinite(time) && time > 0
}

/** A message id is kept in a column, compared as a string and shown in a log: visible ASCII, and not for ever. */
export function isId(id: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(id)
}
