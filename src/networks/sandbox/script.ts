import type { OutgoingMessage } from '../driver/message.ts'
import type { NetworkError, Notice } from '../driver/outcome.ts'
import { type ErrorCode, errorOf, noticeOf, type ReasonCode, type RestrictionCode } from './codes.ts'

/**
 * The behaviour of the sandbox, as data. The connection follows these tables and the reference is rendered from them, so
 * that the description of an address always matches its behaviour.
 */

/**
 * Acts of a recipient after a message was accepted, in this order. `vouched`: the network says itself that the message was
 * delivered. `other`: the recipient does it under the other of two addresses. `read all`: a moment after the last of several
 * messages, one receipt says that all of them were read. `choose`: taps the first button, or chooses the first row or answer. `quote`: replies to
 * the message by its id. `type`: writes for a moment, and then replies. `read elsewhere`: the account reads the answer in another client.
 * `obey`: the members of a group do what the text says (`groups/group-words.ts`).
 */
export type FollowUp =
  | 'elsewhere'
  | 'delivered'
  | 'vouched'
  | 'read'
  | 'read all'
  | 'reply'
  | 'repeat'
  | 'share'
  | 'share kept'
  | 'return'
  | 'choose'
  | 'react'
  | 'quote'
  | 'type'
  | 'read elsewhere'
  | 'obey'
  | 'other delivered'
  | 'other reply'

/** Milliseconds without a message before a recipient who reads everything at once does. */
export const readsAllAfter = 1_000

/** Milliseconds for which a recipient writes before they reply. */
export const typesFor = 1_000

/** The network's answer to one attempt. */
export type ScriptedAnswer =
  | Acceptance
  | { readonly kind: 'refuses'; readonly error: NetworkError }
  | {
      readonly kind: 'defers'
      readonly seconds: number
      readonly scope: 'recipient' | 'instance'
      readonly error: NetworkError
    }
  /** The answer is lost; `arrives` says whether the message arrives. */
  | { readonly kind: 'uncertain'; readonly arrives: boolean }
  /** The message arrives, but the connection breaks before the answer. */
  | { readonly kind: 'drops' }
  /** No answer at all. The connection stays open and answers probes, so only the timeout of the attempt helps. */
  | { readonly kind: 'silent' }

export interface Acceptance {
  readonly kind: 'accepts'
  readonly after_ms: number
  /** Acts of the recipient even before the network answers. */
  readonly first?: readonly FollowUp[]
  readonly then: readonly FollowUp[]
  readonly notice?: Notice
}

/** One row of the table of recipients: everyone at `<name>@<behaviour>.sandbox` behaves like this. */
export interface RecipientScript {
  readonly behaviour: string
  /** Its use for callers. */
  readonly purpose: string
  /** The answers to the first, the second … attempt; the last one also answers every later attempt. */
  readonly answers: readonly ScriptedAnswer[]
  /** The answer to a message from a template, if it is another. */
  readonly toTemplates?: ScriptedAnswer
  /** The behaviour in the other address of the same person, if there is one. */
  readonly other?: string
}

function accepts(then: readonly FollowUp[], after_ms = 0): Acceptance {
  return { kind: 'accepts', after_ms, then }
}

function defers(scope: 'recipient' | 'instance', code: ErrorCode): ScriptedAnswer {
  return { kind: 'defers', seconds: 5, scope, error: errorOf(code, false) }
}

function refuses(code: ErrorCode, permanent: boolean): ScriptedAnswer {
  return { kind: 'refuses', error: errorOf(code, permanent) }
}

const delivers = accepts(['delivered'])
const busy = refuses('recipient_busy', false)

/** The error of a message that is returned after it was accepted. */
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
    behaviour: 'reads-all',
    purpose: 'A recipient who reads several messages at once: send more than one within a second.',
    answers: [accepts(['delivered', 'read all'])],
  },
  {
    behaviour: 'receipt-first',
    purpose: 'A receipt that overtakes the answer of the network.',
    answers: [{ ...accepts([]), first: ['delivered'] }],
  },
  {
    behaviour: 'vouched',
    purpose: 'A network that says itself how far a message got, without naming its recipient.',
    answers: [accepts(['vouched'])],
  },
  {
    behaviour: 'notices',
    purpose: 'A message that is sent differently from the request.',
    answers: [{ ...delivers, notice: noticeOf('sent_silently') }],
  },
  {
    behaviour: 'replies',
    purpose: 'A recipient who answers.',
    answers: [accepts(['delivered', 'reply'])],
  },
  {
    behaviour: 'replies-twice',
    purpose: 'A network that delivers an answer twice: it is still one message.',
    answers: [accepts(['delivered', 'reply', 'repeat'])],
  },
  {
    behaviour: 'chooses',
    purpose:
      'A recipient who taps the first of your buttons, chooses the first row of your list, or votes in your poll.',
    answers: [accepts(['delivered', 'choose'])],
  },
  {
    behaviour: 'reacts',
    purpose: 'A recipient who reacts with a thumb.',
    answers: [accepts(['delivered', 'react'])],
  },
  {
    behaviour: 'quotes',
    purpose: 'A recipient whose reply names your message.',
    answers: [accepts(['delivered', 'quote'])],
  },
  {
    behaviour: 'types',
    purpose: 'A recipient who writes for a moment before they answer: follow `conversation.typing`.',
    answers: [accepts(['delivered', 'read', 'type'])],
  },
  {
    behaviour: 'read-elsewhere',
    purpose: 'A recipient who answers, and the account reads the answer in another client.',
    answers: [accepts(['delivered', 'reply', 'read elsewhere'])],
  },
  {
    behaviour: 'also-elsewhere',
    purpose: 'An account that is used from another client, too.',
    answers: [accepts(['elsewhere'])],
  },
  {
    behaviour: 'shares',
    purpose: 'A recipient who sends a file: send the URL of one as text.',
    answers: [accepts(['delivered', 'share'])],
  },
  {
    behaviour: 'shares-by-reference',
    purpose:
      'A recipient who sends a file that the network keeps: only the connection of the instance can open it.',
    answers: [accepts(['delivered', 'share kept'])],
  },
  {
    behaviour: 'two-addresses',
    purpose: 'A person with two addresses, as some networks have them: it is one person whichever you use.',
    answers: [accepts(['other delivered', 'other reply'])],
    other: 'other-address',
  },
  {
    behaviour: 'other-address',
    purpose: 'The other address of the person at `two-addresses`.',
    answers: [accepts(['other delivered', 'other reply'])],
    other: 'two-addresses',
  },
  {
    behaviour: 'window-closed',
    purpose: 'A person to whom the network no longer lets the account reply.',
    answers: [refuses('outside_reply_window', true)],
    toTemplates: delivers,
  },
  { behaviour: 'slow', purpose: 'A slow network.', answers: [accepts(['delivered'], 2000)] },
  { behaviour: 'slow-500ms', purpose: 'A sluggish network.', answers: [accepts(['delivered'], 500)] },
  {
    behaviour: 'unknown',
    purpose: 'This address does not exist.',
    answers: [refuses('recipient_unknown', true)],
  },
  {
    behaviour: 'refuses',
    purpose: 'A permanent refusal.',
    answers: [refuses('message_refused', true)],
  },
  { behaviour: 'refuses-twice', purpose: 'A temporary failure.', answers: [busy, busy, delivers] },
  {
    behaviour: 'busy',
    purpose: 'A failure that lasts: the message stays `sending` until it becomes `expired`.',
    answers: [busy],
  },
  {
    behaviour: 'defers',
    purpose: 'A network that says when to try again.',
    answers: [defers('recipient', 'slow_down'), delivers],
  },
  {
    behaviour: 'limits-account',
    purpose: 'A network that wants all messages of the account later.',
    answers: [defers('instance', 'too_many_messages'), delivers],
  },
  {
    behaviour: 'uncertain',
    purpose: 'A lost answer: the second attempt must not become a second message.',
    answers: [{ kind: 'uncertain', arrives: true }, delivers],
  },
  {
    behaviour: 'loses',
    purpose: 'A lost message: it arrives only if there is a second attempt.',
    answers: [{ kind: 'uncertain', arrives: false }, delivers],
  },
  {
    behaviour: 'never-certain',
    purpose:
      'A message whose outcome is never known: it stays `sending` until its time is up, then becomes `unknown`.',
    answers: [{ kind: 'uncertain', arrives: true }],
  },
  {
    behaviour: 'drops',
    purpose: 'A connection that breaks during an attempt.',
    answers: [{ kind: 'drops' }, delivers],
  },
  {
    behaviour: 'stuck',
    purpose: 'A network that never answers: every attempt times out.',
    answers: [{ kind: 'silent' }],
  },
  {
    behaviour: 'group',
    purpose: 'A group. Ana and Bo are in it, and the account is an admin.',
    answers: [accepts(['vouched', 'obey'])],
  },
  {
    behaviour: 'group-refuses',
    purpose: 'A group that the account may not change.',
    answers: [accepts(['vouched'])],
  },
  {
    behaviour: 'group-loses',
    purpose: 'A group whose changes are made, but the answer is lost.',
    answers: [accepts(['vouched'])],
  },
  {
    behaviour: 'group-silent',
    purpose: 'A group about whose changes the sandbox never answers.',
    answers: [accepts(['vouched'])],
  },
  {
    behaviour: 'group-gone',
    purpose: 'A group that does not exist any more.',
    answers: [refuses('recipient_unknown', true)],
  },
  {
    behaviour: 'returns',
    purpose: 'A message that is accepted and later returned.',
    answers: [accepts(['return'])],
  },
]

/** End of a connection by a script, or an event on an open one. */
export type ScriptedEffect =
  | { readonly kind: 'end'; readonly reason: ReasonCode }
  | { readonly kind: 'silence' }
  | { readonly kind: 'restriction'; readonly code: RestrictionCode; readonly seconds: number }

/** One row of the table of connections: the value of the setting `behaviour`. */
export interface ConnectionScript {
  readonly behaviour: string
  /** The event, as a predicate of "the connection". */
  readonly summary: string
  readonly opens: boolean
  /** Event `after_seconds` after the connection opened or, if it never opens, after it began. */
  readonly effect: ScriptedEffect | null
  /** The default of the setting `after_seconds`. */
  readonly after_seconds: number
}

/** The token that stands for wrong credentials. */
export const refusedToken = 'refused'

const connects: ConnectionScript = {
  behaviour: 'connects',
  summary: 'opens and stays open; `after_seconds` delays the opening',
  opens: true,
  effect: null,
  after_seconds: 0,
}

export const connectionScripts: readonly ConnectionScript[] = [
  connects,
  {
    behaviour: 'refuses_credentials',
    summary: 'is refused because of its credentials',
    opens: false,
    effect: { kind: 'end', reason: 'token_refused' },
    after_seconds: 0,
  },
  {
    behaviour: 'refuses_client',
    summary: 'is refused permanently, whatever the credentials',
    opens: false,
    effect: { kind: 'end', reason: 'client_refused' },
    after_seconds: 0,
  },
  {
    behaviour: 'unreachable',
    summary: 'never opens: nobody answers',
    opens: false,
    effect: { kind: 'end', reason: 'network_unreachable' },
    after_seconds: 0,
  },
  {
    behaviour: 'drops',
    summary: 'opens, and is lost after `after_seconds`',
    opens: true,
    effect: { kind: 'end', reason: 'connection_dropped' },
    after_seconds: 5,
  },
  {
    behaviour: 'goes_silent',
    summary: 'opens, and after `after_seconds` answers neither messages nor probes, like a dead socket',
    opens: true,
    effect: { kind: 'silence' },
    after_seconds: 5,
  },
  {
    behaviour: 'logs_out',
    summary: 'opens, and its credentials are revoked after `after_seconds`',
    opens: true,
    effect: { kind: 'end', reason: 'logged_out' },
    after_seconds: 5,
  },
  {
    behaviour: 'restricts',
    summary: 'opens, and after `after_seconds` is restricted for 60 seconds; meanwhile messages are deferred',
    opens: true,
    effect: { kind: 'restriction', code: 'sandbox_quota', seconds: 60 },
    after_seconds: 5,
  },
]

/** Codes that are shown, one after the other, before the link expires. */
export const linkSteps = 3

const recipients = new Map(recipientScripts.map((script) => [script.behaviour, script]))
const connections = new Map(connectionScripts.map((script) => [script.behaviour, script]))

/** The script of a recipient, by the behaviour in its address. */
export function recipientScript(behaviour: string): RecipientScript | undefined {
  return recipients.get(behaviour)
}

/** The script of a connection, by the setting `behaviour`; the schema accepts only those in the table. */
export function connectionScript(behaviour: string = connects.behaviour): ConnectionScript {
  return connections.get(behaviour) ?? connects
}

/** The answer to one attempt, counted from 1, to send a message of this kind. */
export function answerTo(
  script: RecipientScript,
  kind: OutgoingMessage['kind'],
  attempt: number,
): ScriptedAnswer {
  if (kind === 'template' && script.toTemplates) return script.toTemplates
  const answer = script.answers[Math.min(attempt, script.answers.length) - 1]
  if (!answer) throw new Error(`the script ${script.behaviour} has no answer to attempt ${attempt}`)
  return answer
}
