import { h } from 'preact'
import type { ProblemBody } from '../../../contract/problem.ts'
import { isTimeout, RefusedError } from '../core/api.ts'
import { say } from '../words/everywhere.ts'
import { faultText } from '../words/faults.ts'
import { problemText } from '../words/problems.ts'
import { Copyable } from './copy.ts'

/** What went wrong, and what to do. */
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
          h('li', { key: pointer }, h('code', null, pointer), ' ', faultText(code, detail)),
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
    onRetry && h('button', { type: 'button', onClick: onRetry }, say('try_again')),
  )
}

/** What a problem means, and what the server says of this case. */
function Explained({ problem }: { readonly problem: ProblemBody }) {
  const { code, detail, errors } = problem
  const text = problemText(code)
  if (!text) return h('p', null, detail)
  return [
    h('p', null, h('strong', null, text.title), ' ', text.next),
    text.adds && !errors && h('p', { class: 'small', lang: 'en' }, detail),
  ]
}

/** What went wrong, in one sentence. */
export function failureText(error: unknown): string {
  const problem = error instanceof RefusedError ? error.problem : null
  return problem ? (problemText(problem.code)?.title ?? problem.detail) : textOf(error)
}

/** What a proxy in front answers in place of the server. */
const proxyAnswers = {
  413: 'proxy_takes_less',
  502: 'proxy_reaches_nobody',
  503: 'proxy_reaches_nobody',
  504: 'proxy_reaches_nobody',
} as const

function textOf(error: unknown): string {
  if (error instanceof RefusedError) {
    const phrase = proxyAnswers[error.status as keyof typeof proxyAnswers] ?? 'answered_strangely'
    return say(phrase, { status: String(error.status) })
  }
  if (isTimeout(error)) return say('no_answer')
  return error instanceof TypeError ? say('out_of_reach') : String(error)
}
