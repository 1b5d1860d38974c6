import { h } from 'preact'
import { timeLeft } from '../browser/numbers.ts'
import { marked } from '../browser/steps.ts'
import { Business, Consent, Decline, Warning } from './consent.ts'
import { Sign } from './icon.ts'
import { PhoneForm } from './phone-form.ts'
import { Press } from './press.ts'
import { Step } from './step.ts'
import { type Shown, shownStep, type Visit } from './visit.ts'
import { guideTo, say } from './words.ts'

interface PageProps {
  readonly shown: Shown
  readonly visit: Visit | undefined
}

/** The whole page. */
export function Page({ shown, visit }: PageProps) {
  const { view, isEnded, notice } = shown
  const network = view?.network ?? ''
  const isOver = isEnded || view?.state === 'linked'
  return h(
    'main',
    {},
    view && !isEnded && h(Business, { view, shown }),
    h('h1', { tabIndex: -1 }, headingOf(shown)),
    h(
      'div',
      { role: 'status' },
      notice && !isOver && h('p', { class: 'notice' }, say(`notices.${notice}`, { network })),
    ),
    isEnded && h('p', {}, say(advice[shown.ending])),
    view &&
      !isOver && [
        h(Warning, { network }),
        visit && [
          h(shown.isAgreed ? Linking : Consent, { key: 'way', view, shown, visit }),
          h(Decline, { key: 'decline', shown, visit }),
        ],
      ],
    view?.state === 'linked' && h('p', { class: 'done' }, h(Sign, { name: 'check' }), say('can_close')),
    view && !isEnded && h(Assurances, { network, isOver }),
    view && !isOver && h(Ending, { at: view.expires_at, now: shown.now }),
  )
}

const headings = {
  incomplete: 'incomplete',
  expired: 'expired',
  declined: 'declined',
  gone: 'ended',
} as const
const advice = {
  incomplete: 'copy_whole',
  expired: 'expired_why',
  declined: 'declined_what',
  gone: 'ask_again',
} as const

function headingOf({ view, isEnded, ending }: Shown): string {
  if (isEnded) return say(headings[ending])
  if (!view) return say('loading')
  return view.state === 'linked' ? say('linked') : say('heading', { network: view.network })
}

/** The way back, and the questions that the page never asks: a person who is asked them elsewhere knows that it was not this page. */
function Assurances({ network, isOver }: { readonly network: string; readonly isOver: boolean }) {
  const undo = guideTo(network)?.undo
  return h(
    'ul',
    { class: 'assurances' },
    h(
      'li',
      {},
      h(Sign, { name: 'leave' }),
      h('span', {}, h('strong', {}, say('undo')), '. ', undo ? marked(undo) : say('undo_any', { network })),
    ),
    !isOver && h('li', {}, h(Sign, { name: 'shield' }), h('span', {}, say('never_asks'))),
  )
}

/** The time for which the whole page can still be used. */
function Ending({ at, now }: { readonly at: string; readonly now: number }) {
  return h('p', { class: 'ends', role: 'timer' }, say('ends_in', { time: timeLeft(Date.parse(at) - now) }))
}

interface LinkingProps {
  readonly view: NonNullable<Shown['view']>
  readonly shown: Shown
  readonly visit: Visit
}

/** The step that the person has to take now in the way that they chose, and the other way. */
function Linking({ view, shown, visit }: LinkingProps) {
  const { network, state, kinds } = view
  const { way, awaited } = shown
  const step = shownStep(shown)
  const isPreparing = state === 'linking' && step === null && (way === 'qr' || awaited === 'code')
  const isAsking = step === null && !isPreparing
  const other = (step?.kind ?? way) === 'code' ? 'qr' : 'code'
  return h(
    'div',
    {},
    state === 'failed' && isAsking && h('p', {}, say('failed', { network })),
    step && h(Step, { key: step.kind, step, shown, visit, network }),
    isPreparing && h('p', { class: 'busy', role: 'status' }, say('preparing', { network })),
    step && step.kind !== 'question' && h('p', { class: 'busy' }, say('waiting')),
    isAsking && way === 'code' && h(PhoneForm, { shown, visit, network }),
    isAsking &&
      way === 'qr' &&
      h(Press, { shown, look: 'primary', onPress: () => visit.start({ kind: 'qr' }) }, say('show_qr')),
    kinds.includes(other) && h(OtherWay, { way: other, shown, visit }),
  )
}

interface OtherWayProps extends Pick<LinkingProps, 'shown' | 'visit'> {
  readonly way: Shown['way']
}

function OtherWay({ way, shown, visit }: OtherWayProps) {
  const isQr = way === 'qr'
  return h(
    'div',
    { class: 'other' },
    isQr && h('p', { class: 'hint' }, say('on_other_screen')),
    h(Press, { shown, onPress: () => visit.choose(way) }, say(isQr ? 'show_qr' : 'use_code')),
  )
}
