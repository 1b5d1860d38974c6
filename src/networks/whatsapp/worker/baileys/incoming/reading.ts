import type { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** Bytes that may wait to be decrypted and stored before no more is read: all of them are in memory. */
export const maxHeld = 32 * 1024 * 1024

/** Beyond this, the connection ends: a single stanza may have 16 MB, and what was read already comes all the same. */
const tooMuch = maxHeld + 16 * 1024 * 1024

/**
 * Reads from the socket of a client no faster than what comes can be stored, so that it waits at WhatsApp and not here. Answers of
 * WhatsApp wait behind it. If that takes too long, the probe of the connection finds it.
 */
export class Reading {
  readonly #overflowed: () => void
  #socket: Socket | null = null
  /** In bytes. */
  #held = 0
  #isPaused = false

  /** `ws` tells of the upgrade of its connection. `overflowed`: more came than can be held. */
  constructor(ws: EventEmitter, overflowed: () => void) {
    this.#overflowed = overflowed
    ws.on('upgrade', ({ socket }: IncomingMessage) => {
      this.#socket = socket
    })
  }

  hold(bytes: number): void {
    this.#held += bytes
    if (this.#held > tooMuch) this.#overflowed()
    else if (this.#held > maxHeld) {
      this.#isPaused = true
      this.#socket?.pause()
    }
  }

  release(bytes: number): void {
    this.#held -= bytes
    if (!this.#isPaused || this.#held > maxHeld / 2) return
    this.#isPaused = false
    this.#socket?.resume()
  }

  /** Nothing is read any longer: a socket that is not read would stay half open. */
  end(): void {
    if (this.#isPaused) this.#socket?.destroy()
  }
}
