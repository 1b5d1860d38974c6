import { h } from 'preact'
import { RefusedError } from '../core/api.ts'
import { say } from '../words/everywhere.ts'
import { problemText } from '../words/problems.ts'
import { Copyable } from './copy.ts'

/** What went wrong, and what to do. */
export function Failure({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const problem = error instanceof RefusedError ? error.problem : undefined
  return h(
    'div',
    { class: 'failure', role: 'alert' },
    problem && problemText(problem.code) !== undefined && h('p', null, problemText(problem.code)),
    h('p', null, problem ? problem.detail : textOf(error)),
    problem?.errors &&
      h(
        'ul',
        null,
        problem.errors.map(({ pointer, detail }) =>
          h('li', { key: pointer }, h('code', null, pointer), ` ${detail}`),
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

function textOf(error: unknown): string {
  if (error instanceof RefusedError) return say('answered_strangely', { status: String(error.status) })
  return error instanceof TypeError ? say('out_of_reach') : String(error)
}
