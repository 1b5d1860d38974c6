import { h } from 'preact'
import type { ProblemBody } from '../../../contract/problem.ts'
import { isTimeout, RefusedError } from '../core/api.ts'
import { say } from '../words/say.ts'
import { problemText } from '../words/server-texts.ts'
import { Copyable } from './copy.ts'
import { Fault } from './faults.ts'

/** Says what went wrong, and what to do. */
export function Failure({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
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
  const { code, detail, errors } = problem
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
  if (error instanceof RefusedError) {
    const phrase = proxyAnswers[error.status as keyof typeof proxyAnswers] ?? 'everywhere.answered_strangely'
    return say(phrase, { status: String(error.status) })
  }
  if (isTimeout(error)) return say('everywhere.no_answer')
  return error instanceof TypeError ? say('everywhere.out_of_reach') : String(error)
}
