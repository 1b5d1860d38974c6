import { h } from 'preact'
import { Step } from './step.ts'
import type { Shown, Visit } from './visit.ts'
import { say } from './words.ts'

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
    view?.title && h('p', { class: 'business', dir: 'auto' }, view.title),
    h('h1', { tabIndex: -1 }, headingOf(shown)),
    h('div', { role: 'status' }, notice && !isOver && h('p', { class: 'notice' }, say(notice, { network }))),
    isEnded
      ? h('p', {}, say('askAgain'))
      : view?.state === 'linked'
        ? h('p', { class: 'done' }, say('canClose'))
        : view && visit && h(Linking, { view, shown, visit }),
  )
}

function headingOf({ view, isEnded }: Shown): string {
  if (isEnded) return say('ended')
  if (!view) return say('loading')
  return view.state === 'linked' ? say('linked') : say('heading', { network: view.network })
}

interface LinkingProps {
  readonly view: NonNullable<Shown['view']>
  readonly shown: Shown
  readonly visit: Visit
}

function Linking({ view, shown, visit }: LinkingProps) {
  const { network, state, step } = view
  const isLinking = state === 'linking'
  return h(
    'div',
    {},
    isLinking
      ? step
        ? h(Step, { step, shown, visit, network })
        : h('p', { class: 'busy', role: 'status' }, say('preparing', { network }))
      : h('p', {}, say(state === 'failed' ? 'failed' : 'introduction', { network })),
    !isLinking && h('p', { class: 'hint' }, say('onOtherScreen')),
    h(Ways, { view, shown, visit }),
  )
}

/** The ways in which the person can begin, or begin anew. */
function Ways({ view, shown, visit }: LinkingProps) {
  const { kinds, state, step } = view
  const { wantsCode, isBusy } = shown
  const isShown = (kind: string) => state === 'linking' && step?.kind === kind
  const look = state === 'linking' ? 'quiet' : 'primary'
  return h(
    'div',
    { class: 'ways' },
    kinds.includes('qr') &&
      !isShown('qr') &&
      h(
        'button',
        { type: 'button', class: look, 'aria-disabled': isBusy, onClick: () => visit.start({ kind: 'qr' }) },
        say('useQr'),
      ),
    kinds.includes('code') &&
      !wantsCode &&
      h('button', { type: 'button', class: look, onClick: () => visit.wantCode(true) }, say('useCode')),
    wantsCode && h(PhoneForm, { shown, visit }),
  )
}

function PhoneForm({ shown, visit }: { readonly shown: Shown; readonly visit: Visit }) {
  const isUnfit = shown.notice === 'phoneUnfit'
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const phone = String(new FormData(event.currentTarget as HTMLFormElement).get('phone')).trim()
    visit.startByCode(phone)
  }
  return h(
    'form',
    { onSubmit: submit },
    h('label', { for: 'phone' }, say('phone')),
    h('input', {
      id: 'phone',
      name: 'phone',
      type: 'tel',
      autocomplete: 'tel',
      maxLength: 32,
      placeholder: '+55 11 91234-5678',
      required: true,
      'aria-invalid': isUnfit,
      ref: focusOnce,
    }),
    h('button', { type: 'submit', class: 'primary', 'aria-disabled': shown.isBusy }, say('getCode')),
  )
}

const focused = new WeakSet<HTMLElement>()

/** Puts the cursor into a field when it appears. */
export function focusOnce(field: HTMLElement | null): void {
  if (!field || focused.has(field)) return
  focused.add(field)
  field.focus()
}
