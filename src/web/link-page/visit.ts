import type { StartLink } from '../../contract/resources/instance.ts'
import type { LinkPageView } from '../../contract/resources/link-page.ts'
import { RefusedError } from '../browser/refused.ts'
import { LinkPageServer } from './server.ts'
import { type Notice, speakFor } from './words.ts'

/** Codes of refusals after which the page opens nothing any more, or never did. */
const ends = new Set<string | undefined>(['link_page_not_found', 'unauthenticated'])

/** Everything that the page shows. */
export interface Shown {
  /** Undefined until the server has responded for the first time. */
  readonly view: LinkPageView | undefined
  /** The URL opens nothing, or nothing any more. */
  readonly isEnded: boolean
  /**
   * The reason for that, as far as this device can tell: a part of the URL is missing, its time has passed while one looked at it, the
   * person declined just now, or another.
   */
  readonly ending: 'incomplete' | 'expired' | 'declined' | 'gone'
  /** The last failure, or something that happened meanwhile. */
  readonly notice: Notice | undefined
  /** The person was told who will read and write their messages, and went on. Nothing that links an account is shown before. */
  readonly isAgreed: boolean
  /** The way in which they want to link. */
  readonly way: 'qr' | 'code'
  /** The step that they asked for, until it comes: any other that is there meanwhile was not meant for them. */
  readonly awaited: 'qr' | 'code' | undefined
  /** The phone number that they typed last. */
  readonly phone: string
  /** The URL of the picture of this QR code. */
  readonly picture: { readonly value: string; readonly url: string } | undefined
  /** The URL of the picture of the business, once it is here. */
  readonly logo: string | undefined
  /** True while a request waits for its response. */
  readonly isBusy: boolean
  /** The present moment by the clock of the server, in milliseconds. */
  readonly now: number
}

const nothing: Omit<Shown, 'now'> = {
  view: undefined,
  isEnded: false,
  ending: 'gone',
  notice: undefined,
  isAgreed: false,
  way: 'qr',
  awaited: undefined,
  phone: '',
  picture: undefined,
  logo: undefined,
  isBusy: false,
}

/** Milliseconds between two requests for the state: while a step is awaited, while it is shown, and otherwise. */
const pauses = { awaited: 1_000, shown: 2_000, idle: 5_000 }

/**
 * Returns the step that the page shows: none before the person has agreed, none that they did not ask for, and no QR code if
 * they want a code.
 */
export function shownStep({ view, isAgreed, way, awaited }: Omit<Shown, 'now'>): LinkPageView['step'] {
  const step = view?.state === 'linking' ? view.step : null
  if (!isAgreed || !step) return null
  if (awaited !== undefined && step.kind !== awaited) return null
  return step.kind === 'qr' && way === 'code' ? null : step
}

interface Beginning {
  readonly token: string
  /** True if they agreed before the page was loaded again. */
  readonly isAgreed: boolean
  /** The way that suits their device: a phone cannot scan its own screen. */
  readonly way: Shown['way']
  readonly draw: (shown: Shown) => void
  /** Called when they agree. */
  readonly onAgreed: () => void
}

/** A visit of a person to the page: all that they see and do. Opening it only reads; a link begins when they agree to it. */
export class Visit {
  readonly #server: LinkPageServer
  readonly #onAgreed: () => void
  #draw: (shown: Shown) => void
  #state = nothing
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Counts the requests, so that a response that comes late overwrites nothing. */
  #asked = 0
  #isOver = false
  #isLogoAsked = false

  constructor({ token, isAgreed, way, draw, onAgreed }: Beginning) {
    this.#server = new LinkPageServer(token)
    this.#draw = draw
    this.#onAgreed = onAgreed
    this.#isOver = token === ''
    this.#show({ isEnded: this.#isOver, ending: this.#isOver ? 'incomplete' : 'gone', isAgreed, way })
    void this.look()
  }

  /** Asks what is to be shown, now and from now on. */
  async look(): Promise<void> {
    clearTimeout(this.#timer)
    if (this.#isOver) return
    const asked = ++this.#asked
    try {
      const view = await heard(this.#server.view())
      if (asked === this.#asked) this.#take(view)
    } catch (error) {
      if (asked === this.#asked) this.#refused(error, 'unreachable')
    }
    if (asked === this.#asked) this.#lookAgain()
  }

  /** Goes on: they know who asks. A person who cannot scan the screen is asked for a number first. */
  agree(): void {
    this.#onAgreed()
    this.#show({ isAgreed: true })
    const { view, way } = this.#state
    if (!view) return
    if (way === 'qr' && view.state !== 'linking') void this.start({ kind: 'qr' })
    else void this.#drawPicture(view)
  }

  /** Goes on in another way. */
  choose(way: Shown['way']): void {
    this.#show({ way, notice: undefined, awaited: undefined })
    const { view } = this.#state
    if (!view || way === 'code') return
    if (view.step?.kind === 'qr') void this.#drawPicture(view)
    else void this.start({ kind: 'qr' })
  }

  async start(body: StartLink): Promise<void> {
    const isBegun = await this.#act(
      () => this.#server.start(body),
      { invalid_request: 'phone_unfit' },
      body.kind,
    )
    if (!isBegun) this.#show({ awaited: undefined })
  }

  /** Begins a link by a code for this phone number, unless it cannot be one. */
  startByCode(phone: string): void {
    this.#show({ phone })
    if (/^[1-9]\d{6,14}$/.test(phone.replace(/^\+/, '').replaceAll(/[ .()-]/g, ''))) {
      void this.start({ kind: 'code', phone: phone.replaceAll(/[()]/g, '') })
    } else this.#show({ notice: 'phone_unfit' })
  }

  async answer(answer: string): Promise<void> {
    await this.#act(() => this.#server.answer(answer), { network_refused: 'answer_refused' })
  }

  /** Ends it for good: they do not want to link anything, or do not know who asks. */
  async decline(): Promise<void> {
    if (this.#state.isBusy) return
    clearTimeout(this.#timer)
    // A response that is still to come says nothing any more.
    this.#asked++
    this.#show({ isBusy: true, notice: undefined })
    try {
      await this.#server.decline()
      this.#isOver = true
      this.#show({ isBusy: false, isEnded: true, ending: 'declined' })
    } catch (error) {
      this.#show({ isBusy: false })
      this.#refused(error, 'refused')
      this.#lookAgain()
    }
  }

  /** Draws the same again, a little later. */
  tick(): void {
    this.#show({})
  }

  /** Nothing is asked or drawn any more. */
  end(): void {
    this.#isOver = true
    this.#draw = () => {}
    clearTimeout(this.#timer)
  }

  /** Returns whether it was done. */
  async #act(
    act: () => Promise<LinkPageView>,
    notices: Readonly<Record<string, Notice>>,
    awaited?: Shown['awaited'],
  ): Promise<boolean> {
    // A button that was disabled meanwhile would lose the focus, so it is there to be pressed.
    if (this.#state.isBusy) return true
    clearTimeout(this.#timer)
    const asked = ++this.#asked
    this.#show({ isBusy: true, notice: undefined, awaited })
    let isDone = false
    try {
      const view = await heard(act())
      isDone = true
      this.#show({ isBusy: false })
      if (asked === this.#asked) this.#take(view)
    } catch (error) {
      const code = error instanceof RefusedError ? error.code : undefined
      this.#show({ isBusy: false })
      this.#refused(error, notices[code ?? ''] ?? 'refused')
    }
    this.#lookAgain()
    return isDone
  }

  #take(view: LinkPageView): void {
    const before = this.#state
    const isBegun = view.state === 'linking' && before.view?.state !== 'linking'
    const isTimedOut = view.state === 'ready' && (shownStep(before) !== null || before.awaited !== undefined)
    const isPast = before.notice === 'unreachable' || isBegun
    const isStillAwaited = view.state === 'linking' && view.step?.kind !== before.awaited
    this.#show({
      view,
      notice: isTimedOut ? 'timed_out' : isPast ? undefined : before.notice,
      awaited: isStillAwaited ? before.awaited : undefined,
      way: wayAmong(view.kinds, before.way),
    })
    if (view.state === 'linked') this.#isOver = true
    void this.#drawPicture(view)
    void this.#drawLogo(view)
  }

  /** It stays the same, so it is loaded once. */
  async #drawLogo({ has_picture }: LinkPageView): Promise<void> {
    if (!has_picture || this.#isLogoAsked) return
    this.#isLogoAsked = true
    try {
      this.#show({ logo: URL.createObjectURL(await this.#server.logo()) })
    } catch {
      // The next look asks again.
      this.#isLogoAsked = false
    }
  }

  async #drawPicture({ step }: LinkPageView): Promise<void> {
    const { picture } = this.#state
    if (step?.kind !== 'qr' || shownStep(this.#state) === null || picture?.value === step.value) return
    try {
      const url = URL.createObjectURL(await this.#server.picture())
      if (picture) URL.revokeObjectURL(picture.url)
      this.#show({ picture: { value: step.value, url } })
    } catch {
      // The step may be over by now: the next look shows what follows.
    }
  }

  #refused(error: unknown, notice: Notice): void {
    const isRefused = error instanceof RefusedError
    const isEnded = isRefused && ends.has(error.code)
    if (isEnded) this.#isOver = true
    const shown = isRefused ? (error.status === 429 ? 'too_often' : notice) : 'unreachable'
    const { view } = this.#state
    const isExpired = view !== undefined && Date.parse(view.expires_at) <= this.#server.now()
    this.#show({ isEnded, ending: isExpired ? 'expired' : 'gone', notice: shown })
  }

  #lookAgain(): void {
    if (this.#isOver) return
    const { view, notice } = this.#state
    const isLinking = view?.state === 'linking'
    const pause = isLinking ? (view.step ? pauses.shown : pauses.awaited) : pauses.idle
    this.#timer = setTimeout(() => void this.look(), notice === 'too_often' ? 4 * pause : pause)
  }

  #show(change: Partial<Shown>): void {
    this.#state = { ...this.#state, ...change }
    this.#draw({ ...this.#state, now: this.#server.now() })
  }
}

/** Returns the response of the server, once the page speaks the language that it names. */
async function heard(response: Promise<LinkPageView>): Promise<LinkPageView> {
  const view = await response
  await speakFor(view.language)
  return view
}

/** The way that they want, unless the network has only the other. */
function wayAmong(kinds: LinkPageView['kinds'], wanted: Shown['way']): Shown['way'] {
  return kinds.includes(wanted) ? wanted : (kinds[0] ?? wanted)
}
