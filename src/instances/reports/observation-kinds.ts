import type { AccountNews } from '../../networks/driver/account-news.ts'
import type { Observation } from '../../networks/driver/observation.ts'

const messageKinds = [
  'receipt',
  'message-acknowledged',
  'message-returned',
  'contact-known',
  'read-elsewhere',
] as const
const incomingKinds = ['message-received', 'message-sent-elsewhere', 'caught-up'] as const
const newsKinds = [
  'group-changed',
  'template-changed',
  'template-categorized',
  'marketing-choice',
  'typing-seen',
] as const

export type MessageObservation = Extract<Observation, { kind: (typeof messageKinds)[number] }>
export type IncomingObservation = Extract<Observation, { kind: (typeof incomingKinds)[number] }>

/** An observation about the connection or the account. */
export type ConnectionObservation = Exclude<
  Observation,
  MessageObservation | IncomingObservation | AccountNews
>

export function isAboutMessage(observation: Observation): observation is MessageObservation {
  return messageKinds.some((kind) => kind === observation.kind)
}

export function isIncoming(observation: Observation): observation is IncomingObservation {
  return incomingKinds.some((kind) => kind === observation.kind)
}

export function isNews(observation: Observation): observation is AccountNews {
  return newsKinds.some((kind) => kind === observation.kind)
}
