import { setTimeout as wait } from 'node:timers/promises'
import type { PosthornProcess } from '../posthorn.ts'

/** One recipient at the end of one instance: messages to it must arrive in order. */
export interface Line {
  readonly instance: string
  readonly to: string
  /** Send the next only when this one was settled, so that slow recipients do not pile up a queue. */
  readonly patient?: boolean
  /** Milliseconds between an answer and the next message. */
  readonly pause?: number
}

/** A message that the server said it had accepted. */
export interface Acknowledged extends Line {
  readonly text: string
  readonly id: string
  readonly networkMessageId: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/**
 * A partner's program that sends numbered texts, one after the other on each line, and repeats a request with the same
 * Idempotency-Key until it is answered, over any crash of the server. It speaks plain HTTP and records everything itself.
 */
export class PersistentSender {
  readonly acknowledged: Acknowledged[] = []
  #server: Pick<PosthornProcess, 'url' | 'adminKey'>
  #running = true
  #moved = Promise.withResolvers<void>()
  readonly #lines: Promise<void>[]

  constructor(server: Pick<PosthornProcess, 'url' | 'adminKey'>, lines: readonly Line[]) {
    this.#server = server
    this.#lines = lines.map((line) => this.#work(line))
    // A line that fails fails `finish`, and nothing before.
    for (const line of this.#lines) line.catch(() => {})
  }

  /** The server is here now. */
  moveTo(server: Pick<PosthornProcess, 'url' | 'adminKey'>): void {
    this.#server = server
    this.#moved.resolve()
    this.#moved = Promise.withResolvers()
  }

  /** Begins no further message; resolves when every request that was begun is answered. */
  async finish(): Promise<void> {
    this.#running = false
    await Promise.all(this.#lines)
  }

  async #work(line: Line): Promise<void> {
    for (let number = 1; this.#running; number++) {
      const text = `${line.instance} ${line.to} ${number}`
      this.acknowledged.push({ ...line, text, ...(await this.#insist(line, text)), at: Date.now() })
      if (line.pause !== undefined) await wait(line.pause, undefined, { ref: false })
    }
  }

  async #insist(line: Line, text: string): Promise<{ id: string; networkMessageId: string }> {
    for (;;) {
      const answer = await this.#post(line, text)
      if (answer) return answer
      // While the server is away, to ask again and again would only slow down its start. It keeps no failed play from ending.
      await Promise.race([this.#moved.promise, wait(200, undefined, { ref: false })])
    }
  }

  async #post(line: Line, text: string): Promise<{ id: string; networkMessageId: string } | undefined> {
    const { url, adminKey } = this.#server
    let reply: Response
    let body: string
    try {
      reply = await fetch(`${url}/v1/messages/text`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${adminKey}`,
          'content-type': 'application/json',
          'idempotency-key': text.replaceAll(' ', '/'),
          ...(line.patient ? { prefer: 'wait=5' } : {}),
        },
        body: JSON.stringify({ instance: line.instance, to: line.to, text }),
      })
      body = await reply.text()
    } catch {
      return undefined
    }
    // A balancer answers 502 and 504 for a server that did not, and the server 408 to a request that was held up on its way.
    if ([408, 502, 503, 504].includes(reply.status)) return undefined
    if (reply.status !== 202) throw new Error(`the server answered ${reply.status}: ${body}`)
    const message = JSON.parse(body)
    return { id: message.id, networkMessageId: message.network_message_id }
  }
}
