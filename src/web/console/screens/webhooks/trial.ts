import { h } from 'preact'
import { useState } from 'preact/hooks'
import { call } from '../../core/api.ts'
import type { Answer as AnswerOf } from '../../core/operations.ts'
import { Badge } from '../../parts/badge.ts'
import { Button } from '../../parts/button.ts'
import { CodeBlock } from '../../parts/copy.ts'
import { Disclosure } from '../../parts/disclosure.ts'
import { Failure } from '../../parts/failure.ts'
import { say } from '../../words/say.ts'
import { Answer, answerOf } from './one-delivery.ts'

interface TrialProps {
  readonly url: string
  /** The webhook whose secret signs the request, if there is one. */
  readonly webhook: string | undefined
}

type Result = { readonly url: string } & (
  | { readonly trial: AnswerOf<'tryWebhook'> }
  | { readonly error: unknown }
)

/** Tries a URL before it is saved, and shows what came back. */
export function Trial({ url, webhook }: TrialProps) {
  const [result, setResult] = useState<Result>()
  const attempt = async () => {
    const body = { url, ...(webhook === undefined ? {} : { webhook }) }
    setResult(
      await call('tryWebhook', { body }).then(
        (trial) => ({ url, trial }),
        (error: unknown) => ({ url, error }),
      ),
    )
  }
  return h(
    'div',
    { class: 'trial' },
    h(Button, { onClick: attempt, disabled: url === '' }, say('webhooks.try_url')),
    h(
      'div',
      { role: 'status' },
      // The answer of another URL says nothing about this one.
      result?.url === url &&
        ('trial' in result ? h(Tried, { trial: result.trial }) : h(Failure, { error: result.error })),
    ),
  )
}

function Tried({ trial }: { readonly trial: AnswerOf<'tryWebhook'> }) {
  const { status, request } = trial
  const isArrived = status !== null && status < 300
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`)
  return [
    h('p', null, h(Badge, { tone: isArrived ? 'good' : 'bad', text: answerOf(trial) })),
    h(Answer, { tried: trial }),
    h(
      Disclosure,
      { title: say('webhooks.request') },
      h(CodeBlock, { text: [...headers, '', request.body].join('\n'), label: say('webhooks.request') }),
    ),
  ]
}
