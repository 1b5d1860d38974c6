import { h } from 'preact'
import type { LinkPageView } from '../../contract/resources/link-page.ts'
import { timeLeft } from '../browser/numbers.ts'
import { CopyCode } from './copy-code.ts'
import { stepsTo } from './guide.ts'
import type { Shown, Visit } from './visit.ts'
import { say } from './words.ts'

interface StepProps {
  readonly step: NonNullable<LinkPageView['step']>
  readonly shown: Shown
  readonly visit: Visit
  readonly network: string
}

/** The step that the person has to take now, and the time that is left for it. */
export function Step({ step, shown, visit, network }: StepProps) {
  const left = Date.parse(step.expires_at) - shown.now
  const drawn = { qr: QrCode, code: Code, url: Url, question: Question }[step.kind]
  return h(
    'section',
    { class: 'step', 'aria-label': say('step') },
    h(drawn, { step, shown, visit, network }),
    h(
      'p',
      { class: 'countdown', role: 'timer' },
      left > 0 ? say('next_in', { time: timeLeft(left) }) : say('next_soon'),
    ),
  )
}

function QrCode({ step, shown, network }: StepProps) {
  const { picture } = shown
  // The picture of the code before is of no use, but it holds the place.
  const isPresent = picture?.value === step.value
  return h(
    'div',
    {},
    h(
      'div',
      { class: isPresent ? 'qr' : 'qr fading' },
      picture && h('img', { src: picture.url, alt: say('qr_picture'), width: 320, height: 320 }),
    ),
    h(Guide, { kind: 'qr', network }),
  )
}

function Code({ step, network }: StepProps) {
  return h(
    'div',
    {},
    h('p', {}, say('your_code')),
    h('p', { class: 'code', role: 'status', translate: false }, step.value),
    h(CopyCode, { key: step.value, code: step.value }),
    h(Guide, { kind: 'code', network }),
  )
}

/** The way to the code scanner in the app of the network: step by step, in its own words, if the page knows them. */
function Guide({ kind, network }: { readonly kind: 'qr' | 'code'; readonly network: string }) {
  const guide = stepsTo(network, kind)
  if (!guide) return h('p', { role: 'status' }, say(kind === 'qr' ? 'scan' : 'type', { network }))
  return [
    h(
      'ol',
      { class: 'guide' },
      guide.steps.map((text) => h('li', { key: text }, marked(text))),
    ),
    guide.hint && h('p', { class: 'hint' }, marked(guide.hint)),
  ]
}

/** A text in which the names of menus stand between asterisks. */
function marked(text: string) {
  return text.split('*').map((part, at) => (at % 2 === 1 ? h('strong', {}, part) : part))
}

function Url({ step }: StepProps) {
  // A network that names something else than a web page is not to be followed.
  const isWebPage = /^https:\/\//.test(step.value)
  return h(
    'div',
    {},
    h('p', {}, say('open_page')),
    h(
      'p',
      { class: 'value' },
      isWebPage
        ? h('a', { href: step.value, target: '_blank', rel: 'noreferrer noopener' }, step.value)
        : step.value,
    ),
  )
}

function Question({ step, shown, visit }: StepProps) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const answer = String(new FormData(event.currentTarget as HTMLFormElement).get('answer')).trim()
    if (answer !== '') void visit.answer(answer)
  }
  return h(
    'form',
    { onSubmit: submit },
    h('p', { id: 'question', role: 'status', dir: 'auto' }, step.value),
    h('label', { for: 'answer' }, say('answer')),
    h('input', {
      id: 'answer',
      name: 'answer',
      maxLength: 512,
      required: true,
      autocomplete: 'one-time-code',
      'aria-describedby': 'question',
    }),
    h('button', { type: 'submit', class: 'primary', 'aria-disabled': shown.isBusy }, say('send_answer')),
  )
}
