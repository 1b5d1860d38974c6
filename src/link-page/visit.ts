import type { StartLink } from '../contract/resources/instance.ts'
import type { LinkPageView } from '../contract/resources/link-page.ts'
import { LinkPageServer, RefusedError } from './server.ts'
import { type PhraseKey, speak } from './words.ts'

/** What the page shows. */
export interface Shown {
  /** Undefined until the server has answered for the first time. */
  readonly view: LinkPageView | undefined
  /** The URL opens nothing, or nothing any more. */
  readonly isEnded: boolean
  /** What went wrong, or what happened meanwhile. */
  readonly notice: PhraseKey | undefined
  /** The form for a phone number is open. */
  readonly wantsCode: boolean
  /** The URL of the picture of this QR code. */
  readonly picture: { readonly value: string; readonly url: string } | undefined
  /** The server was asked for something, and has not answered. */
  readonly isBusy: boolean
  /** The present moment by the clock of the server, in milliseconds. */
  readonly now: number
}

const nothing: Omit<Shown, 'now'> = {
  view: undefined,
  isEnded: false,
  notice: undefined,
  wantsCode: false,
  picture: undefined,
  isBusy: false,
}

/** How long until the server is asked again, in milliseconds: while a step is awaited, while it is shown, and otherwise. */
const pauses = { awaited: 1_000, shown: 2_000, idle: 5_000 }

/** Somebody who opened the page: what they see, and what they do. Opening it only reads; a link begins when they ask for it. */
export class Visit {
  readonly #server: LinkPageServer
  #draw: (shown: Shown) => void
  #state = nothing
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Counts the answers that were asked for, so that one that comes late overwrites nothing. */
  #asked = 0
  #isOver = false

  constructor(token: string, draw: (shown: Shown) => void) {
    this.#server = new LinkPageServer(token)
    this.#draw = draw
    this.#isOver = token === ''
    this.#show({ isEnded: this.#isOver })
    void this.look()
  }

  /** Asks what is to be shown, now and from now on. */
  async look(): Promise<void> {
    clearTimeout(this.#timer)
    if (this.#isOver) return
    const asked = ++this.#asked
    try {
      const view = await this.#server.view()
      if (asked === this.#asked) this.#take(view)
    } catch (error) {
      if (asked === this.#asked) this.#refused(error, 'unreachable')
    }
    if (asked === this.#asked) this.#lookAgain()
  }

  /** Opens or closes the form for a phone number. */
  wantCode(wantsCode: boolean): void {
    this.#show({ wantsCode, notice: undefined })
  }

  start(body: StartLink): Promise<void> {
    return this.#act(() => this.#server.start(body), { invalid_request: 'phoneUnfit' })
  }

  /** Begins a link by a code for this phone number, unless it cannot be one. */
  startByCode(phone: string): void {
    if (/^[1-9]\d{6,14}$/.test(phone.replace(/^\+/, '').replaceAll(/[ .()-]/g, ''))) {
      void this.start({ kind: 'code', phone: phone.replaceAll(/[()]/g, '') })
    } else this.#show({ notice: 'phoneUnfit' })
  }

  answer(answer: string): Promise<void> {
    return this.#act(() => this.#server.answer(answer), { network_refused: 'answerRefused' })
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

  async #act(act: () => Promise<LinkPageView>, notices: Readonly<Record<string, PhraseKey>>): Promise<void> {
    // A button that was disabled meanwhile would lose the focus, so it is there to be pressed.
    if (this.#state.isBusy) return
    clearTimeout(this.#timer)
    const asked = ++this.#asked
    this.#show({ isBusy: true, notice: undefined })
    try {
      const view = await act()
      this.#show({ isBusy: false, wantsCode: false })
      if (asked === this.#asked) this.#take(view)
    } catch (error) {
      const code = error instanceof RefusedError ? error.code : undefined
      this.#show({ isBusy: false })
      this.#refused(error, notices[code ?? ''] ?? 'refused')
    }
    this.#lookAgain()
  }

  #take(view: LinkPageView): void {
    const before = this.#state.view
    speak(view.language)
    const isBegun = view.state === 'linking' && before?.state !== 'linking'
    const isTimedOut = view.state === 'ready' && before?.state === 'linking'
    const { notice } = this.#state
    const isPast = notice === 'unreachable' || isBegun
    this.#show({ view, notice: isTimedOut ? 'timedOut' : isPast ? undefined : notice })
    if (view.state === 'linked') this.#isOver = true
    void this.#drawPicture(view)
  }

  async #drawPicture({ step }: LinkPageView): Promise<void> {
    const { picture } = this.#state
    if (step?.kind !== 'qr' || picture?.value === step.value) return
    try {
      const url = URL.createObjectURL(await this.#server.picture())
      if (picture) URL.revokeObjectURL(picture.url)
      this.#show({ picture: { value: step.value, url } })
    } catch {
      // The step may be over by now: the next look shows what follows.
    }
  }

  #refused(error: unknown, notice: PhraseKey): void {
    const isRefused = error instanceof RefusedError
    const isEnded = isRefused && error.isEnd
    if (isEnded) this.#isOver = true
    const shown = isRefused ? (error.status === 429 ? 'tooOften' : notice) : 'unreachable'
    this.#show({ isEnded, notice: shown })
  }

  #lookAgain(): void {
    if (this.#isOver) return
    const { view, notice } = this.#state
    const isLinking = view?.state === 'linking'
    const pause = isLinking ? (view.step ? pauses.shown : pauses.awaited) : pauses.idle
    this.#timer = setTimeout(() => void this.look(), notice === 'tooOften' ? 4 * pause : pause)
  }

  #show(change: Partial<Shown>): void {
    this.#state = { ...this.#state, ...change }
    this.#draw({ ...this.#state, now: this.#server.now() })
  }
}
