import { type ComponentChildren, h } from 'preact'
import type { ProblemBody } from '../../../contract/problem.ts'
import { RefusedError } from '../../browser/refused.ts'
import { isTimeout } from '../core/api.ts'
import { say } from '../words/say.ts'
import { faultText, problemText } from '../words/server-texts.ts'
import { withoutCalls } from '../words/without-calls.ts'
import { Copyable } from './copy.ts'
import { Prose } from './prose.ts'

/** An error whose message is meant for the person. */
export class ToldError extends Error {}

/** Reasons why the server refused values, by their JSON pointers. */
export type Faults = ReadonlyMap<string, ComponentChildren>

/** Returns the reasons why the server refused values. */
export function faultsOf(error: unknown): Faults {
  const errors = error instanceof RefusedError ? error.problem?.errors : undefined
  return new Map(errors?.map((fault) => [fault.pointer, h(Fault, fault)]))
}

/** The reason why the server refused a value. */
function Fault(fault: { readonly code: string; readonly detail: string }) {
  return h(ServerText, { text: faultText(fault), detail: fault.detail })
}

interface ServerTextProps {
  /** Meaning of the code, in the language of the page. */
  readonly text: string
  /** The server's own words, in English. */
  readonly detail: string
}

/**
 * Meaning of a code from the server. The server's own words follow in small print if the page has others: they may know more
 * of this case.
 */
export function ServerText({ text, detail }: ServerTextProps) {
  const original = withoutCalls(detail)
  return text === original
    ? h(Prose, { text })
    : [
        h('span', null, text),
        h('span', { class: 'small original', lang: 'en' }, h(Prose, { text: original })),
      ]
}

interface FormFailureProps {
  readonly error: unknown
  /** Reasons why values were refused, by their pointers. */
  readonly faults?: Faults
  /** Fields beside which the form shows their faults itself. */
  readonly pointers?: ReadonlySet<string> | undefined
}

/** The failure of the whole form, unless each fault stands at a field. */
export function FormFailure({ error, faults = faultsOf(error), pointers }: FormFailureProps) {
  if (faults.size === 0 || ![...faults.keys()].every((pointer) => pointers?.has(pointer)))
    return h(Failure, { error })
  return h('div', { class: 'failure', role: 'alert' }, h('p', null, say('instance_form.fix_fields')))
}

/** Says what went wrong, and what to do; nothing if nothing did. */
export function Failure({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  if (error === undefined) return null
  const problem = error instanceof RefusedError ? error.problem : undefined
  return h(
    'div',
    { class: 'failure', role: 'alert' },
    problem ? h(Explained, { problem }) : h('p', null, textOf(error)),
    problem?.errors &&
      h(
        'ul',
        null,
        problem.errors.map(({ pointer, code, detail }) =>
          h('li', { key: pointer }, h('code', null, pointer), ' ', h(Fault, { code, detail })),
        ),
      ),
    problem &&
      h(
        'p',
        { class: 'small' },
        h('code', null, problem.code),
        ' ',
        h(Copyable, { text: problem.request_id }),
      ),
    onRetry && h('button', { type: 'button', onClick: onRetry }, say('everywhere.try_again')),
  )
}

/** Problems of which the server's own sentences, which are English, say more: what is missing, or what the limit is. */
const addsDetail: ReadonlySet<ProblemBody['code']> = new Set([
  'invalid_request',
  'forbidden',
  'templates_not_supported',
  'setting_missing',
  'instance_not_connected',
  'link_kind_not_supported',
  'no_link_step',
  'network_refused',
  'account_in_use',
  'restored',
  'body_too_large',
  'outside_reply_window',
  'queue_full',
])

/** Explains a problem: its meaning, and the server's words about this case. */
function Explained({ problem }: { readonly problem: ProblemBody }) {
  const { code, errors } = problem
  const detail = withoutCalls(problem.detail)
  const text = problemText(code)
  if (!text) return h('p', null, detail)
  return [
    h('p', null, h('strong', null, text.title), ' ', text.next),
    addsDetail.has(code) && !errors && h('p', { class: 'small', lang: 'en' }, detail),
  ]
}

/** Returns one sentence that says what went wrong. */
export function failureText(error: unknown): string {
  const problem = error instanceof RefusedError ? error.problem : null
  return problem ? (problemText(problem.code)?.title ?? problem.detail) : textOf(error)
}

/** Explanations of statuses with which a proxy in front responds in place of the server. */
const proxyAnswers = {
  413: 'everywhere.proxy_takes_less',
  502: 'everywhere.proxy_reaches_nobody',
  503: 'everywhere.proxy_reaches_nobody',
  504: 'everywhere.proxy_reaches_nobody',
} as const

function textOf(error: unknown): string {
  if (error instanceof ToldError) return error.message
  if (error instanceof RefusedError) {
    const phrase = proxyAnswers[error.status as keyof typeof proxyAnswers] ?? 'everywhere.answered_strangely'
    return say(phrase, { status: String(error.status) })
  }
  if (isTimeout(error)) return say('everywhere.no_answer')
  return error instanceof TypeError ? say('everywhere.out_of_reach') : String(error)
}
