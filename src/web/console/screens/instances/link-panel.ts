import { h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { call, openerHeader, urlOf } from '../../core/api.ts'
import { useCall } from '../../core/hooks/use-call.ts'
import { instanceIn, useLive } from '../../core/live.ts'
import type { Answer } from '../../core/operations.ts'
import { Submit } from '../../parts/button.ts'
import { Copyable } from '../../parts/copy.ts'
import { Failure } from '../../parts/failure.ts'
import { TextField } from '../../parts/forms/fields.ts'
import { useSending } from '../../parts/forms/form-dialog.ts'
import { useCountdown } from '../../parts/time.ts'
import { say } from '../../words/say.ts'

type Link = NonNullable<Answer<'getInstanceStatus'>['link']>

interface StepProps {
  readonly name: string
  /** The network's name for people. */
  readonly network: string
}

/** The step that a person has to take now to link the account, renewed as the network renews it. */
export function LinkStep({ name, network }: StepProps) {
  const { data, error, reload } = useCall('getInstanceStatus', { params: { name } })
  useLive((event) => {
    if (event.type === 'instance.link_changed' && instanceIn(event)?.name === name) reload()
  }, reload)
  if (error !== undefined) return h(Failure, { error, onRetry: reload })
  if (!data?.link) return h('p', { class: 'loading', role: 'status' }, say('linking.next_soon'))
  return h(
    'div',
    { class: 'link-step' },
    h(Shown, { key: data.link.value, name, network, link: data.link }),
    h(Countdown, { until: data.link.expires_at }),
  )
}

function Countdown({ until }: { readonly until: string }) {
  const count = useCountdown(until)
  return h(
    'p',
    { class: 'small' },
    count > 0 ? say('linking.expires_in', { count }) : say('linking.next_soon'),
  )
}

function Shown({ name, network, link }: StepProps & { readonly link: Link }) {
  switch (link.kind) {
    case 'qr':
      return [h('p', null, say('linking.qr_how', { network })), h(Picture, { name })]
    case 'code':
      return [
        h('p', null, say('linking.code_how', { network })),
        h(
          'p',
          { class: 'link-code', 'aria-label': say('linking.code_alone') },
          h(Copyable, { text: link.value }),
        ),
      ]
    case 'url':
      return [h('p', null, say('linking.url_how')), h(PageLink, { url: link.value })]
    default:
      return h(Question, { name, network, question: link.value })
  }
}

/**
 * The picture of the present step. It is fetched, not named as the source of an image: browsers would show the picture of the step
 * before, which has the same address.
 */
function Picture({ name }: { readonly name: string }) {
  const [source, setSource] = useState<string>()
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    const abort = new AbortController()
    let made: string | undefined
    const headers = { accept: 'image/svg+xml', ...openerHeader() }
    const load = async () => {
      const response = await fetch(urlOf('getLink', { params: { name } }), { headers, signal: abort.signal })
      if (!response.ok) return
      made = URL.createObjectURL(await response.blob())
      if (abort.signal.aborted) URL.revokeObjectURL(made)
      else setSource(made)
    }
    load().catch((refusal) => abort.signal.aborted || setError(refusal))
    return () => {
      abort.abort()
      if (made !== undefined) URL.revokeObjectURL(made)
    }
  }, [])
  if (error !== undefined) return h(Failure, { error })
  return h(
    'div',
    { class: 'link-picture' },
    source !== undefined && h('img', { src: source, alt: say('linking.picture') }),
  )
}

function PageLink({ url }: { readonly url: string }) {
  const isPage = /^https?:\/\//.test(url)
  return [
    isPage &&
      h(
        'p',
        null,
        h(
          'a',
          { class: 'button primary', href: url, target: '_blank', rel: 'noreferrer' },
          say('linking.open_page'),
        ),
      ),
    h('p', null, h(Copyable, { text: url })),
  ]
}

function Question({ name, network, question }: StepProps & { readonly question: string }) {
  const [answer, setAnswer] = useState('')
  const { error, isBusy, form } = useSending(() => call('answerLink', { params: { name }, body: { answer } }))
  return h(
    'form',
    { ...form, noValidate: true },
    h('p', null, say('linking.question_how', { network })),
    h('p', null, h('strong', null, question)),
    h(TextField, {
      label: say('linking.answer'),
      value: answer,
      onChange: setAnswer,
      required: true,
      maxLength: 512,
    }),
    h(Failure, { error }),
    h(Submit, { isBusy, disabled: answer === '' }, say('linking.send_answer')),
  )
}
