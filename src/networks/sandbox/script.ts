import type { NetworkError } from '../outcome.ts'
import { type ErrorCode, errorOf, type ReasonCode } from './codes.ts'

/**
 * What the sandbox does, as data. The connection plays these tables and the reference is rendered from them, so that
 * what is written about an address is what it does.
 */

/** What a recipient does after a message was accepted, in this order. */
export type FollowUp = 'delivered' | 'read' | 'reply' | 'repeat' | 'share' | 'return'

/** How the network answers one attempt. */
export type Answer =
  | { readonly kind: 'accepts'; readonly after_ms: number; readonly then: readonly FollowUp[] }
  | { readonly kind: 'refuses'; readonly error: NetworkError }
  | { readonly kind: 'defers'; readonly seconds: number; readonly error: NetworkError }
  /** The answer is lost; `arrives` tells whether the message was. */
  | { readonly kind: 'uncertain'; readonly arrives: boolean }
  /** The message arrives, and the connection breaks in place of the answer. */
  | { readonly kind: 'drops' }
  /** No answer at all. The connection is open and well, so that only the end of the attempt's time helps. */
  | { readonly kind: 'silent' }

/** One row of the table of recipients: everyone at `<name>@<behaviour>.sandbox` behaves like this. */
export interface RecipientScript {
  readonly behaviour: string
  /** What one would use it for. */
  readonly purpose: string
  /** The answers to the first, the second … attempt; the last one also answers every later attempt. */
  readonly answers: readonly Answer[]
}

function accepts(then: readonly FollowUp[], after_ms = 0): Answer {
  return { kind: 'accepts', after_ms, then }
}

function refuses(code: ErrorCode, permanent: boolean): Answer {
  return { kind: 'refuses', error: errorOf(code, permanent) }
}

const delivers = accepts(['delivered'])
const busy = refuses('recipient_busy', false)

/** The error of a message that comes back after it was accepted. */
export const returnedError = errorOf('recipient_gone', true)

export const recipientScripts: readonly RecipientScript[] = [
  { behaviour: 'delivers', purpose: 'The everyday case.', answers: [delivers] },
  {
    behaviour: 'reads',
    purpose: 'A recipient who reads at once.',
    answers: [accepts(['delivered', 'read'])],
  },
  { behaviour: 'accepts', purpose: 'A recipient who never confirms.', answers: [accepts([])] },
  {
    behaviour: 'replies',
    purpose: 'A recipient who answers.',
    answers: [accepts(['delivered', 'reply'])],
  },
  {
    behaviour: 'replies-twice',
    purpose: 'A network that brings an answer a second time: it is still one message.',
    answers: [accepts(['delivered', 'reply', 'repeat'])],
  },
  {
    behaviour: 'shares',
    purpose: 'A recipient who sends a file: write the URL of one.',
    answers: [accepts(['delivered', 'share'])],
  },
  { behaviour: 'slow', purpose: 'A slow network.', answers: [accepts(['delivered'], 2000)] },
  { behaviour: 'slow-500ms', purpose: 'A sluggish network.', answers: [accepts(['delivered'], 500)] },
  {
    behaviour: 'unknown',
    purpose: 'Nobody has this address.',
    answers: [refuses('recipient_unknown', true)],
  },
  {
    behaviour: 'refuses',
    purpose: 'A refusal for good.',
    answers: [refuses('message_refused', true)],
  },
  { behaviour: 'refuses-twice', purpose: 'Trouble that passes.', answers: [busy, busy, delivers] },
  {
    behaviour: 'busy',
    purpose: 'Trouble that does not pass: `sending` until the time is over, then `expired`.',
    answers: [busy],
  },
  {
    behaviour: 'defers',
    purpose: 'A network that names the time of the next attempt.',
    answers: [
      {
        kind: 'defers',
        seconds: 5,
        error: errorOf('slow_down', false),
      },
      delivers,
    ],
  },
  {
    behaviour: 'uncertain',
    purpose: 'A lost answer: a second attempt must not become a second message.',
    answers: [{ kind: 'uncertain', arrives: true }, delivers],
  },
  {
    behaviour: 'loses',
    purpose: 'A lost message: without a second attempt it never arrives.',
    answers: [{ kind: 'uncertain', arrives: false }, delivers],
  },
  {
    behaviour: 'never-certain',
    purpose: 'A message whose fate stays unknown: `sending` until the time is over, then `unknown`.',
    answers: [{ kind: 'uncertain', arrives: true }],
  },
  {
    behaviour: 'drops',
    purpose: 'A connection that breaks under a message.',
    answers: [{ kind: 'drops' }, delivers],
  },
  {
    behaviour: 'stuck',
    purpose: 'A network that falls silent over a message: every attempt is given up when its time is over.',
    answers: [{ kind: 'silent' }],
  },
  { behaviour: 'returns', purpose: 'A refusal after the fact.', answers: [accepts(['return'])] },
]

/** How a connection ends by script, or what befalls it while it lasts. */
export type Turn =
  | { readonly kind: 'end'; readonly reason: ReasonCode }
  | { readonly kind: 'silence' }
  | { readonly kind: 'restriction'; readonly code: string; readonly seconds: number }

/** One row of the table of connections: the value of the setting `behaviour`. */
export interface ConnectionScript {
  readonly behaviour: string
  /** What happens, as a predicate of "the connection". */
  readonly summary: string
  readonly opens: boolean
  /** What happens `after_seconds` after the connection opened, or began where it never opens. */
  readonly turn: Turn | null
  /** The default of the setting `after_seconds`. */
  readonly after_seconds: number
}

/** The token that stands for wrong credentials. */
export const refusedToken = 'refused'

const connects: ConnectionScript = {
  behaviour: 'connects',
  summary: 'opens and stays open; `after_seconds` delays the opening',
  opens: true,
  turn: null,
  after_seconds: 0,
}

export const connectionScripts: readonly ConnectionScript[] = [
  connects,
  {
    behaviour: 'refuses_credentials',
    summary: 'is refused because of its credentials',
    opens: false,
    turn: { kind: 'end', reason: 'token_refused' },
    after_seconds: 0,
  },
  {
    behaviour: 'refuses_client',
    summary: 'is refused for good, whatever the credentials',
    opens: false,
    turn: { kind: 'end', reason: 'client_refused' },
    after_seconds: 0,
  },
  {
    behaviour: 'unreachable',
    summary: 'never comes about: nobody answers',
    opens: false,
    turn: { kind: 'end', reason: 'network_unreachable' },
    after_seconds: 0,
  },
  {
    behaviour: 'drops',
    summary: 'opens, and is lost after `after_seconds`',
    opens: true,
    turn: { kind: 'end', reason: 'connection_dropped' },
    after_seconds: 5,
  },
  {
    behaviour: 'goes_silent',
    summary: 'opens, and after `after_seconds` answers neither messages nor probes, as a dead socket does',
    opens: true,
    turn: { kind: 'silence' },
    after_seconds: 5,
  },
  {
    behaviour: 'logs_out',
    summary: 'opens, and its credentials are revoked after `after_seconds`',
    opens: true,
    turn: { kind: 'end', reason: 'logged_out' },
    after_seconds: 5,
  },
  {
    behaviour: 'restricts',
    summary: 'opens, and after `after_seconds` is restricted for 60 seconds, in which messages are deferred',
    opens: true,
    turn: { kind: 'restriction', code: 'sandbox_quota', seconds: 60 },
    after_seconds: 5,
  },
]

/** How many link steps are shown, one after the other, before the link expires. */
export const linkSteps = 3

const recipients = new Map(recipientScripts.map((script) => [script.behaviour, script]))
const connections = new Map(connectionScripts.map((script) => [script.behaviour, script]))

/** The script of a recipient, by the behaviour in its address. */
export function recipientScript(behaviour: string): RecipientScript | undefined {
  return recipients.get(behaviour)
}

/** The script of a connection, by the setting `behaviour`; the schema admits no others than those in the table. */
export function connectionScript(behaviour: string = connects.behaviour): ConnectionScript {
  return connections.get(behaviour) ?? connects
}

/** The answer to one attempt, counted from 1. */
export function answerTo(script: RecipientScript, attempt: number): Answer {
  const answer = script.answers[Math.min(attempt, script.answers.length) - 1]
  if (!answer) throw new Error(`the script ${script.behaviour} has no answer to attempt ${attempt}`)
  return answer
}
