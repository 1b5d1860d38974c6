import { setTimeout as wait } from 'node:timers/promises'
import type { PosthornProcess } from '../posthorn.ts'

/** A message that the server said it had accepted, in the order of acceptance on its line. */
export interface Said {
  readonly to: string
  /** Our id, if the network assigns its own. */
  readonly networkMessageId: string
  /** The id of the message that it is about; undefined for none. */
  readonly about?: string
  /** The text that it gives the other message, if it is an edit. */
  readonly edits?: string
}

interface Accepted {
  readonly id: string
  readonly networkMessageId: string
}

type Server = Pick<PosthornProcess, 'url' | 'adminKey'>

/** One way to go on after a text, as a request. */
type Step = (
  text: Accepted,
  number: number,
) => {
  readonly path: string
  readonly body: object
  readonly wait?: true
  /** It is about a message that has left: of one that waits, something else would become. */
  readonly isLate?: true
  readonly edits?: string
}

/** The ways of a partner's program. */
interface Ways {
  /** False for a network without edits. */
  readonly edits?: boolean
  /** True for a network on which each text is taken back in the end, once it has left. */
  readonly retracts?: boolean
  /** True for a network that assigns ids: ours name the messages then. */
  readonly assigned?: boolean
  /** Milliseconds after which a message expires; as the server likes if missing. */
  readonly life?: number
}

/**
 * A partner's program that sends texts, and to each a reply, a reaction, an edit and another reaction before the text may have
 * left. It repeats a request with the same Idempotency-Key until it is answered, speaks plain HTTP and records everything itself.
 */
export class TalkativeSender {
  readonly said: Said[] = []
  /** The ids of messages that were no longer waiting and had not left, so that nothing could refer to them. */
  readonly gone = new Set<string>()
  #server: Server
  #running = true
  #moved = Promise.withResolvers<void>()
  readonly #lines: Promise<void>[]
  readonly #ways: Ways

  constructor(server: Server, instance: string, recipients: readonly string[], ways: Ways = {}) {
    this.#server = server
    this.#ways = ways
    this.#lines = recipients.map((to) => this.#work(instance, to))
    // A line that fails fails `finish`, and nothing before.
    for (const line of this.#lines) line.catch(() => {})
  }

  /** The server is here now. */
  moveTo(server: Server): void {
    this.#server = server
    this.#moved.resolve()
    this.#moved = Promise.withResolvers()
  }

  /** Begins no further text; resolves when every request that was begun is answered. */
  async finish(): Promise<void> {
    this.#running = false
    await Promise.all(this.#lines)
  }

  async #work(instance: string, to: string): Promise<void> {
    const { edits = true, retracts = false, life } = this.#ways
    const edit: Step = ({ id }, number) => ({
      path: `/v1/messages/${id}/edit`,
      body: { text: `edited ${number}` },
      edits: `edited ${number}`,
    })
    const retraction: Step = ({ id }) => ({
      path: `/v1/messages/${id}/retract`,
      body: {},
      wait: true,
      isLate: true,
    })
    const steps: readonly Step[] = [
      ({ id }, number) => ({
        path: '/v1/messages/text',
        body: { instance, to, text: `reply ${number}`, reply_to: id },
      }),
      ({ id }) => ({ path: `/v1/messages/${id}/reaction`, body: { emoji: '👍' } }),
      ...(edits ? [edit] : []),
      // It waits for this one, so that slow recipients do not pile up a queue.
      ({ id }) => ({ path: `/v1/messages/${id}/reaction`, body: { emoji: null }, wait: true }),
      ...(retracts ? [retraction] : []),
    ]
    for (let number = 1; this.#running; number++) {
      const key = `${to.replaceAll('@', '/')}/${number}`
      const body = { instance, to, text: `text ${number}` }
      const request = (asked: ReturnType<Step>) =>
        life === undefined
          ? asked
          : { ...asked, body: { ...asked.body, expires_at: new Date(Date.now() + life).toISOString() } }
      const text = await this.#insist(() => request({ path: '/v1/messages/text', body }), key)
      if (text === 'refused') throw new Error('a text was refused')
      this.said.push({ to, networkMessageId: text.networkMessageId })
      for (const [index, step] of steps.entries()) {
        const asked = step(text, number)
        if (asked.isLate) await this.#settled(text.id)
        const accepted = await this.#insist(() => request(asked), `${key}/${index}`)
        if (accepted === 'refused') {
          this.gone.add(text.networkMessageId)
          continue
        }
        const { networkMessageId } = accepted
        const { edits: words } = asked
        const about = text.networkMessageId
        this.said.push({ to, networkMessageId, about, ...(words !== undefined && { edits: words }) })
      }
    }
  }

  /** Resolves when a message no longer waits, and is not being sent. */
  async #settled(id: string): Promise<void> {
    for (;;) {
      const { url, adminKey } = this.#server
      const headers = { authorization: `Bearer ${adminKey}` }
      const response = await fetch(`${url}/v1/messages/${id}`, { headers }).catch(() => undefined)
      const text = response?.ok ? await response.text().catch(() => '') : ''
      if (text !== '' && !['queued', 'sending'].includes(JSON.parse(text).status)) return
      await wait(100, undefined, { ref: false })
    }
  }

  /** Asks until it is answered; a request that is too late, and so was never accepted, is made anew. */
  async #insist(make: () => ReturnType<Step>, key: string): Promise<Accepted | 'refused'> {
    let request = make()
    for (let made = 1; ; ) {
      const accepted = await this.#post(request, made === 1 ? key : `${key}/${made}`)
      if (accepted && accepted !== 'too late') return accepted
      if (accepted === 'too late') {
        request = make()
        made++
      } else await Promise.race([this.#moved.promise, wait(200, undefined, { ref: false })])
    }
  }

  async #post({ path, body, wait: waits }: ReturnType<Step>, key: string) {
    const { url, adminKey } = this.#server
    let status: number
    let text: string
    try {
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${adminKey}`,
          'content-type': 'application/json',
          'idempotency-key': key,
          ...(waits ? { prefer: 'wait=20' } : {}),
        },
        body: JSON.stringify(body),
      })
      status = response.status
      text = await response.text()
    } catch {
      return undefined
    }
    if (status === 503 || status === 408) return undefined
    if (status === 400 && text.includes('"pointer":"/expires_at"')) return 'too late' as const
    if (status === 409) return 'refused' as const
    if (status !== 202) throw new Error(`the server responded with ${status} to ${path}: ${text}`)
    const { id, network_message_id: networkMessageId } = JSON.parse(text)
    const accepted: Accepted = { id, networkMessageId: this.#ways.assigned ? id : networkMessageId }
    return accepted
  }
}
