import type { Readable } from 'node:stream'

const megabyte = 1024 * 1024

/** Bytes that all callbacks together may hold while they come in, and bytes that those of one party may hold. */
const maxHeld = { all: 128 * megabyte, party: 16 * megabyte }

/** Bytes that a piece of a body holds besides its content. */
const overhead = 200

/** The bodies of one party, the oldest first, and what they hold. */
interface Group {
  readonly bodies: Set<Body>
  held: number
}

/** A body that is being received, or that is complete and has no response yet. */
interface Body {
  readonly groups: readonly Group[]
  held: number
  /** Gives it up; undefined unless it is coming in. */
  cut: (() => void) | undefined
}

/** The limit of a body, and the errors if it is not read to its end. */
interface Reading {
  /** Bytes that the body may have. */
  readonly most: number
  /** Why it is not read to its end. */
  readonly tooLarge: () => Error
  readonly givenUp: () => Error
}

/**
 * Reads the bodies of callbacks. Their senders are not known yet, so the memory that bodies hold is bounded: if those of one
 * party, or all together, hold too much, the one that has been coming in for longest is given up. A network sends a callback
 * at once, so its callbacks are the last to be given up.
 */
export class CallbackBodies {
  readonly #most: typeof maxHeld
  readonly #all: Group = { bodies: new Set(), held: 0 }
  readonly #parties = new Map<string, Group>()

  constructor(most = maxHeld) {
    this.#most = most
  }

  /** Reads a body to its end. The memory that it holds counts until `release` is called, once, after the response. */
  begin(party: string) {
    const own = this.#parties.get(party) ?? { bodies: new Set(), held: 0 }
    this.#parties.set(party, own)
    const body: Body = { groups: [this.#all, own], held: 0, cut: undefined }
    for (const { bodies } of body.groups) bodies.add(body)
    return {
      read: (stream: Readable, reading: Reading) => this.#read(body, stream, reading),
      release: () => {
        hold(body, -body.held)
        for (const { bodies } of body.groups) bodies.delete(body)
        if (own.bodies.size === 0) this.#parties.delete(party)
      },
    }
  }

  #read(body: Body, stream: Readable, { most, tooLarge, givenUp }: Reading): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      let pieces: Buffer[] = []
      let length = 0
      const end = (): void => {
        body.cut = undefined
        stream.off('data', take).off('end', done).off('close', close)
      }
      const fail = (error: Error): void => {
        end()
        pieces = []
        hold(body, -body.held)
        stream.resume()
        reject(error)
      }
      const close = (): void => fail(new Error('the body of a callback ended early'))
      const done = (): void => {
        end()
        resolve(Buffer.concat(pieces))
      }
      const take = (piece: Buffer): void => {
        length += piece.length
        if (length > most) {
          fail(tooLarge())
          return
        }
        pieces.push(piece)
        hold(body, piece.length + overhead)
        this.#makeRoom(body)
      }
      body.cut = () => fail(givenUp())
      stream.on('data', take).on('end', done).on('close', close)
    })
  }

  #makeRoom({ groups: [, own] }: Body): void {
    while (own && own.held > this.#most.party && cutOldest(own));
    while (this.#all.held > this.#most.all && cutOldest(this.#all));
  }
}

function hold(body: Body, bytes: number): void {
  body.held += bytes
  for (const group of body.groups) group.held += bytes
}

/** False if all of them are complete: their responses come soon. */
function cutOldest({ bodies }: Group): boolean {
  for (const { cut } of bodies) {
    if (!cut) continue
    cut()
    return true
  }
  return false
}
