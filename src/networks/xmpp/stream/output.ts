import type { Socket } from 'node:net'

/** Bytes that may wait to be written before nothing more is read that could have to be answered. */
const maxUnsent = 64 * 1024

/** The output to one socket. It counts the bytes that the other side has not taken yet. */
export class Output {
  /** Called right before a batch is written; what it answers is written with it. */
  appendToBatch: () => string = () => ''

  readonly #socket: Socket
  readonly #listener: { written(bytes: number): void; taken(): void; stalled(): void }
  readonly #timeout: number
  #unwritten = ''
  /** All bytes that were ever written. */
  #written = 0
  #timer: NodeJS.Timeout | null = null

  /**
   * `written` is called with the number of bytes written, `taken` when the other side has read everything, and `stalled` when
   * it has taken nothing for `timeout` milliseconds.
   */
  constructor(
    socket: Socket,
    timeout: number,
    listener: { written(bytes: number): void; taken(): void; stalled(): void },
  ) {
    this.#socket = socket
    this.#timeout = timeout
    this.#listener = listener
  }

  /** In bytes, or for what is not encoded yet in UTF-16 units. */
  get unsent(): number {
    return this.#unwritten.length + this.#socket.writableLength
  }

  /** Returns true if so much is unsent that nothing should be added. If so, `taken` or `stalled` is called later. */
  isFull(): boolean {
    if (this.unsent <= maxUnsent) return false
    this.#watch()
    return true
  }

  /** Writes text soon: what is sent in one turn of the event loop leaves in one packet. */
  send(text: string): void {
    if (this.#unwritten === '') queueMicrotask(() => this.flush())
    this.#unwritten += text
  }

  flush(): void {
    if (this.#unwritten === '') return
    const batch = this.#unwritten + this.appendToBatch()
    this.#unwritten = ''
    this.write(batch)
  }

  write(text: string): void {
    const socket = this.#socket
    if (socket.destroyed || !socket.writable) return
    const bytes = Buffer.from(text)
    this.#written += bytes.length
    this.#listener.written(bytes.length)
    if (!socket.write(bytes)) this.#watch()
  }

  #watch(): void {
    if (this.#timer !== null) return
    this.#await()
    this.#socket.once('drain', this.#onDrain)
  }

  /** Writes nothing more. */
  end(): void {
    this.#unwritten = ''
    if (this.#timer) clearTimeout(this.#timer)
    this.#socket.off('drain', this.#onDrain)
  }

  #onDrain = (): void => {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#socket.off('drain', this.#onDrain)
    this.#listener.taken()
  }

  /** More may be written meanwhile, so the amount unsent does not show whether anything was read. */
  #await(): void {
    const before = this.#taken
    this.#timer = setTimeout(() => {
      if (this.unsent === 0) this.#onDrain()
      else if (this.#taken > before) this.#await()
      else this.#listener.stalled()
    }, this.#timeout)
  }

  get #taken(): number {
    return this.#written - this.#socket.writableLength
  }
}
