import { Agent, request } from 'node:http'

/** An organization that attacks: where Posthorn listens, and an admin key of it. */
export interface Attacking {
  readonly url: string
  readonly key: string
}

interface Asked {
  readonly status: number
  readonly text: string
}

/** Connections over which an attack is prepared. */
const preparing = 32
/** Repetitions of a call that was refused for now, and the milliseconds between two of them. */
const repeatedAtMost = 50
const repeatAfter = 200

/** Calls Posthorn over as many connections as it may use, and counts what is answered. */
export class Attacker {
  readonly url: string
  readonly key: string
  /** The calls of `keepAsking` that were answered with a success. */
  answered = 0
  /** Those that were answered in any other way, or not at all. */
  refused = 0
  readonly #agent: Agent
  ended = false

  constructor({ url, key }: Attacking, connections = preparing) {
    this.url = url
    this.key = key
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections })
  }

  /** Ends every connection, and what is asked on them. */
  end(): void {
    this.ended = true
    this.#agent.destroy()
  }

  /** Asks once; what it says is read, and kept if it is wanted. */
  ask(method: string, path: string, { body, key = this.key, headers = {}, keep = false }: AskOptions = {}) {
    const json = typeof body === 'object' ? { 'content-type': 'application/json' } : {}
    const authorization = key === null ? {} : { authorization: `Bearer ${key}` }
    const options = { method, agent: this.#agent, headers: { ...authorization, ...json, ...headers } }
    return new Promise<Asked>((resolve, reject) => {
      const sent = request(`${this.url}${path}`, options, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => keep && chunks.push(chunk))
        response.once('error', reject)
        const status = response.statusCode ?? 0
        response.once('end', () => resolve({ status, text: Buffer.concat(chunks).toString() }))
      })
      sent.once('error', reject)
      sent.end(typeof body === 'object' ? JSON.stringify(body) : body)
    })
  }

  /** Asks until it is answered with `expected`, as long as the answer is to come again later; throws for any other. */
  async get<T>(method: string, path: string, expected: number, options: AskOptions = {}): Promise<T> {
    for (let tries = 0; ; tries++) {
      const { status, text } = await this.ask(method, path, { ...options, keep: true })
      if (status === expected) return (text === '' ? undefined : JSON.parse(text)) as T
      const isForNow = status === 429 || status === 503
      if (!isForNow || tries === repeatedAtMost)
        throw new Error(`${method} ${path} was answered ${status}: ${text}`)
      await new Promise((resolve) => setTimeout(resolve, repeatAfter))
    }
  }

  /** Does something for each number below `count`, on all connections. */
  async forEach(count: number, once: (number: number) => Promise<unknown>): Promise<void> {
    let next = 0
    const work = async () => {
      while (next < count) await once(next++)
    }
    await Promise.all(Array.from({ length: this.#agent.maxSockets }, work))
  }

  /** Asks on all connections, again as soon as one is answered, until it ends. */
  keepAsking(ask: (number: number) => Promise<Asked>): void {
    let next = 0
    const goOn = async () => {
      while (!this.ended) {
        const status = await ask(next++).then(
          ({ status }) => status,
          () => 0,
        )
        if (status >= 200 && status < 300) this.answered++
        else if (!this.ended) {
          this.refused++
          // A refusal is quick, and must not become a loop that uses this process up.
          await new Promise((resolve) => setTimeout(resolve, 10))
        }
      }
    }
    for (let index = 0; index < this.#agent.maxSockets; index++) void goOn()
  }

  /** Creates an instance of the sandbox, or the one that is described; stopped, if nothing is to be sent. */
  async createInstance(name: string, { stopped = false, ...rest }: NewInstance = {}): Promise<void> {
    await this.get('POST', '/v1/instances', 201, { body: { name, network: 'sandbox', ...rest } })
    if (stopped) await this.stopInstance(name)
  }

  /** Stops an instance, and waits until it is. */
  async stopInstance(name: string): Promise<void> {
    await this.get('POST', `/v1/instances/${name}/stop`, 202)
    for (;;) {
      const { status } = await this.get<{ status: string }>('GET', `/v1/instances/${name}/status`, 200)
      if (status === 'stopped') return
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  /** Creates keys of the organization, because calls are counted by key. */
  async createKeys(count: number, limits: object = {}): Promise<string[]> {
    const keys: string[] = []
    await this.forEach(count, async () => {
      const body = { name: 'attack', role: 'admin', ...limits }
      keys.push((await this.get<{ key: string }>('POST', '/v1/keys', 201, { body })).key)
    })
    return keys
  }
}

export interface AskOptions {
  /** An object is sent as JSON. */
  readonly body?: object | string | undefined
  /** Another key of the organization; none if it is null. */
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** True if the text of the response is wanted. */
  readonly keep?: boolean
}

interface NewInstance {
  readonly stopped?: boolean
  readonly network?: string
  readonly settings?: object
  readonly credentials?: object
}
