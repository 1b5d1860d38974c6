import { Component, createRef, h } from 'preact'
import type { LinkPageView } from '../../contract/resources/link-page.ts'
import { timeLeft } from '../browser/numbers.ts'
import { QrPicture } from '../browser/qr-picture.ts'
import { Ring } from '../browser/ring.ts'
import { marked, Steps, stepsTo } from '../browser/steps.ts'
import { CopyCode } from './copy-code.ts'
import { phoneHere } from './phone-here.ts'
import type { Shown, Visit } from './visit.ts'
import { guideTo, say } from './words.ts'

interface StepProps {
  readonly step: NonNullable<LinkPageView['step']>
  readonly shown: Shown
  readonly visit: Visit
  readonly network: string
}

/** The step that the person has to take now, and the time that is left for it. */
export class Step extends Component<StepProps> {
  readonly #sheet = createRef<HTMLDivElement>()

  /** It stands above the button that asked for it, perhaps beyond the edge of a small screen. */
  override componentDidMount(): void {
    this.#sheet.current?.scrollIntoView({ block: 'nearest' })
  }

  override render({ step, shown, visit, network }: StepProps) {
    const left = Date.parse(step.expires_at) - shown.now
    const drawn = { qr: QrCode, code: Code, url: Url, question: Question }[step.kind]
    return h(
      'section',
      { class: 'step', 'aria-label': say('step') },
      h(
        'div',
        { ref: this.#sheet, class: step.kind === 'qr' || step.kind === 'code' ? 'sheet' : undefined },
        h(drawn, { step, shown, visit, network }),
        h(Countdown, { key: step.value, left }),
      ),
      (step.kind === 'qr' || step.kind === 'code') && h(Guide, { kind: step.kind, network }),
    )
  }
}

/** The time that is left for a step; the first time that is shown stands for all of it. */
class Countdown extends Component<{ readonly left: number }> {
  readonly #whole = this.props.left

  override render({ left }: { readonly left: number }) {
    return h(
      'p',
      { class: 'countdown', role: 'timer' },
      h(Ring, { left, whole: this.#whole }),
      left > 0 ? say('next_in', { time: timeLeft(left) }) : say('next_soon'),
    )
  }
}

function QrCode({ step, shown }: StepProps) {
  const { picture } = shown
  // The picture of the code before is of no use, but it holds the place.
  const isPresent = picture?.value === step.value
  return h(
    'div',
    { class: isPresent ? 'qr' : 'qr fading' },
    picture && h(QrPicture, { source: picture.url, alt: say('qr_picture') }),
  )
}

function Code({ step }: StepProps) {
  return h(
    'div',
    {},
    h('p', { class: 'hint' }, say('your_code')),
    h(
      'p',
      { class: 'code', role: 'status', translate: false },
      [...step.value].map((sign, at) => h(/\w/.test(sign) ? 'b' : 'span', { key: at }, sign)),
    ),
    h(CopyCode, { key: step.value, code: step.value }),
  )
}

/** The way to the code scanner in the app of the network: step by step, in its own words, if the page knows them. */
function Guide({ kind, network }: { readonly kind: 'qr' | 'code'; readonly network: string }) {
  const guide = guideTo(network)
  if (!guide) return h('p', { role: 'status' }, say(kind === 'qr' ? 'scan' : 'type', { network }))
  const { steps, hint } = stepsTo(guide, kind, phoneHere())
  return [h(Steps, { steps }), hint && h('p', { class: 'hint' }, marked(hint))]
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
