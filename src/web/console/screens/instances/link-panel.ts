import { type ComponentChildren, h } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { QrPicture } from '../../../browser/qr-picture.ts'
import { Ring } from '../../../browser/ring.ts'
import { marked, Steps, stepsTo } from '../../../browser/steps.ts'
import { call, openerHeader, urlOf } from '../../core/api.ts'
import { useCall } from '../../core/hooks/use-call.ts'
import { instanceIn, useLive } from '../../core/live.ts'
import type { Answer, Network } from '../../core/operations.ts'
import { Submit } from '../../parts/button.ts'
import { Copyable } from '../../parts/copy.ts'
import { Failure } from '../../parts/failure.ts'
import { TextField } from '../../parts/forms/fields.ts'
import { useSending } from '../../parts/forms/form-dialog.ts'
import { useCountdown } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { networkWords } from '../../words/server-texts.ts'

type Link = NonNullable<Answer<'getInstanceStatus'>['link']>

interface StepProps {
  readonly name: string
  readonly network: Network
  /** The other ways, below the steps. */
  readonly others: (kind: Link['kind'] | undefined) => ComponentChildren
}

/** The step that a person has to take now to link the account, renewed as the network renews it. */
export function LinkStep({ name, network, others }: StepProps) {
  const { data, error, reload } = useCall('getInstanceStatus', { params: { name } })
  useLive((event) => {
    if (event.type === 'instance.link_changed' && instanceIn(event)?.name === name) reload()
  }, reload)
  if (error !== undefined) return h(Failure, { error, onRetry: reload })
  const link = data?.link
  if (link && (link.kind === 'url' || link.kind === 'question'))
    return h(
      'div',
      { class: 'link-step' },
      link.kind === 'url'
        ? h(PageLink, { url: link.value })
        : h(Question, { key: link.value, name, network, link }),
      h(Countdown, { key: link.value, until: link.expires_at }),
    )
  return h(
    'div',
    { class: 'linking' },
    h(
      'div',
      { class: 'link-side' },
      h('div', { class: 'link-sheet' }, link && h(Code, { key: link.value, name, link })),
      link
        ? h(Countdown, { key: link.value, until: link.expires_at })
        : h('p', { class: 'countdown', role: 'status' }, say('linking.next_soon')),
    ),
    h('div', null, h(How, { network, kind: link?.kind === 'code' ? 'code' : 'qr' }), others(link?.kind)),
  )
}

function Code({ name, link }: { readonly name: string; readonly link: Link }) {
  if (link.kind === 'qr') return h(Picture, { name })
  return h(
    'p',
    { class: 'link-code', 'aria-label': say('linking.code_alone') },
    h(Copyable, { text: link.value }),
  )
}

/** The way through the app of the network, in its own words if they are known. */
function How({ network, kind }: { readonly network: Network; readonly kind: 'qr' | 'code' }) {
  const guide = networkWords(network.network)?.['link-page']?.guide
  const { steps, hint } = guide ? stepsTo(guide, kind, 'any') : { steps: undefined, hint: undefined }
  const how = say(kind === 'qr' ? 'linking.qr_how' : 'linking.code_how', { network: network.title })
  return [
    h('h2', { id: 'linking' }, say(kind === 'qr' ? 'linking.qr_title' : 'linking.code_title')),
    steps ? h(Steps, { steps }) : h('p', null, how),
    hint && h('p', { class: 'small' }, marked(hint)),
    h('p', { class: 'small waits' }, say('linking.goes_on')),
  ]
}

function Countdown({ until }: { readonly until: string }) {
  const count = useCountdown(until)
  // It is drawn anew for each step: the first time left is that for which the step is valid, as nearly as the page knows.
  const whole = useRef(count)
  return h(
    'p',
    { class: 'countdown' },
    h(Ring, { left: count, whole: whole.current }),
    count > 0 ? say('linking.expires_in', { count }) : say('linking.next_soon'),
  )
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
    source !== undefined && h(QrPicture, { source, alt: say('linking.picture') }),
  )
}

function PageLink({ url }: { readonly url: string }) {
  const isPage = /^https?:\/\//.test(url)
  return [
    h('h2', { id: 'linking' }, say('linking.title')),
    h('p', null, say('linking.url_how')),
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

interface QuestionProps extends Pick<StepProps, 'name' | 'network'> {
  readonly link: Link
}

function Question({ name, network, link }: QuestionProps) {
  const [answer, setAnswer] = useState('')
  const { error, isBusy, form } = useSending(() => call('answerLink', { params: { name }, body: { answer } }))
  return h(
    'form',
    { ...form, noValidate: true },
    h('h2', { id: 'linking' }, say('linking.title')),
    h('p', null, say('linking.question_how', { network: network.title })),
    h('p', null, h('strong', null, link.value)),
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
