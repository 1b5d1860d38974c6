import { createHmac, randomBytes } from 'node:crypto'
import { GraphError } from './graph-error.ts'
import type { SchemaFault } from './schemas/check.ts'
import { type Change, type Entry, type Field, faultsOfWebhook, type Webhook } from './schemas/webhook.ts'
import type { World } from './world.ts'

/** One thing to call back, before it is put together with others. */
export interface Occurrence {
  readonly waba: string
  /** The number that it is about; its override applies, if the field follows overrides. */
  readonly number?: string
  readonly field: Field
  readonly value: Readonly<Record<string, unknown>>
}

/** One callback, and how it went. */
export interface Delivery {
  readonly sequence: number
  readonly url: string
  /** The body, byte by byte as it is sent. */
  readonly body: string
  readonly attempts: { readonly at: number; readonly status: number | null; readonly error: string | null }[]
  state: 'waiting' | 'delivered' | 'given-up'
  /** Faults of the body by the schemas; always empty, or the simulator is wrong. */
  readonly schema_faults: readonly SchemaFault[]
}

/**
 * Fields that follow the override of a number or of a WABA; all others go to the app. Source: Webhook overrides, June 2026.
 */
const overridable: readonly Field[] = [
  ...(['messages', 'smb_message_echoes', 'group_lifecycle_update'] as const),
  ...(['group_participants_update', 'group_settings_update', 'group_status_update'] as const),
]

/** Calls back for seven days, then no longer. Source: Webhooks. */
const givenUpAfter = 7 * 86_400_000

/** Posts to the business what happens. */
export class Callbacks {
  readonly deliveries: Delivery[] = []
  readonly #world: World
  readonly #held: Occurrence[] = []
  /** Per URL: the first attempts, which go one after the other. */
  readonly #lines = new Map<string, Promise<void>>()
  readonly #timers = new Set<NodeJS.Timeout>()

  constructor(world: World) {
    this.#world = world
  }

  /** Calls back, or keeps it for the flush. */
  tell(...occurrences: readonly Occurrence[]): void {
    this.#held.push(...occurrences)
    if (!this.#world.settings.hold_webhooks) this.flush()
  }

  /** Posts everything that is held: one callback for each URL. */
  flush(): number {
    const held = this.#held.splice(0)
    const routed = held.flatMap((occurrence) => {
      const url = this.#urlFor(occurrence)
      return url === undefined ? [] : [{ url, occurrence }]
    })
    const byUrl = Map.groupBy(routed, ({ url }) => url)
    for (const [url, those] of byUrl)
      this.#post(
        url,
        those.map(({ occurrence }) => occurrence),
      )
    return byUrl.size
  }

  /** Verifies a callback URL as the network does before it takes one. Throws a GraphError. */
  async verify(url: string, verifyToken: string): Promise<void> {
    const challenge = String(randomBytes(4).readUInt32BE())
    const asked = new URL(url)
    asked.searchParams.set('hub.mode', 'subscribe')
    asked.searchParams.set('hub.challenge', challenge)
    asked.searchParams.set('hub.verify_token', verifyToken)
    const { status, text } = await this.#request(asked.href, { method: 'GET' })
    if (status !== 200) throw new GraphError(2200, `The answer was ${status ?? text}, and not 200.`)
    if (text !== challenge) throw new GraphError(2200, 'The body was not the challenge.')
  }

  /** Resolves when everything that was posted so far was tried once. */
  async tried(): Promise<void> {
    await Promise.all(this.#lines.values())
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer)
  }

  /** A WABA to which the app is not subscribed has no callbacks. */
  #urlFor({ waba, number, field }: Occurrence): string | undefined {
    const { subscriptions, numbers, app } = this.#world
    if (!subscriptions.has(waba)) return undefined
    if (!overridable.includes(field)) return app.callback
    return (number && numbers.get(number)?.override) || subscriptions.get(waba) || app.callback
  }

  #post(url: string, occurrences: readonly Occurrence[]): void {
    const fault = this.#world.postFaults.next()?.kind
    const webhook = {
      object: 'whatsapp_business_account',
      entry: entriesOf(occurrences, this.#world.now()),
    } as const
    if (fault === 'unknown-number') nameUnknownNumber(webhook)
    const body = asMetaWrites(webhook)
    const signed = createHmac('sha256', this.#world.app.secret).update(body).digest('hex')
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      'user-agent': 'facebookexternalua',
      'x-hub-signature-256': `sha256=${fault === 'wrong-signature' ? randomBytes(32).toString('hex') : signed}`,
    }
    if (fault === 'unsigned') delete headers['x-hub-signature-256']
    for (let copies = fault === 'twice' ? 2 : 1; copies > 0; copies -= 1)
      this.#begin(url, body, headers, webhook)
  }

  #begin(url: string, body: string, headers: Readonly<Record<string, string>>, webhook: Webhook): void {
    const delivery: Delivery = {
      sequence: this.deliveries.length + 1,
      url,
      body,
      attempts: [],
      state: 'waiting',
      schema_faults: faultsOfWebhook(webhook),
    }
    this.deliveries.push(delivery)
    const before = this.#lines.get(url) ?? Promise.resolve()
    this.#lines.set(
      url,
      before.then(() => this.#attempt(delivery, headers)),
    )
    this.#world.changed.emit('changed')
  }

  async #attempt(delivery: Delivery, headers: Readonly<Record<string, string>>): Promise<void> {
    const { status, text } = await this.#request(delivery.url, {
      method: 'POST',
      headers: { ...headers },
      body: delivery.body,
    })
    const error = status === null ? text : null
    delivery.attempts.push({ at: this.#world.now(), status, error })
    // Anything but 200 is repeated.
    if (status === 200) delivery.state = 'delivered'
    else this.#retry(delivery, headers)
    this.#world.changed.emit('changed')
  }

  #retry(delivery: Delivery, headers: Readonly<Record<string, string>>): void {
    const tries = delivery.attempts.length
    const waited = 1000 * 2 ** tries
    if (waited > givenUpAfter) {
      delivery.state = 'given-up'
      return
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      void this.#attempt(delivery, headers)
    }, waited / this.#world.settings.retry_factor)
    this.#timers.add(timer)
  }

  async #request(url: string, request: RequestInit): Promise<{ status: number | null; text: string }> {
    const signal = AbortSignal.timeout(this.#world.settings.webhook_timeout_ms)
    try {
      const answer = await fetch(url, { ...request, redirect: 'manual', signal })
      return { status: answer.status, text: (await answer.text()).slice(0, 1000) }
    } catch (error) {
      const { name, cause } = error as Error
      return { status: null, text: cause instanceof Error ? cause.message : name }
    }
  }
}

/** Entries by WABA, changes by number and field, and in each change the messages or the statuses of all. */
function entriesOf(occurrences: readonly Occurrence[], now: number): Entry[] {
  return [...Map.groupBy(occurrences, ({ waba }) => waba)].map(([id, ofWaba]) => {
    const time = Math.floor(now / 1000)
    const alike = Map.groupBy(ofWaba, (one) => `${one.field} ${one.number} ${Object.keys(one.value).sort()}`)
    const changes = [...alike.values()].flatMap((those) => together(those))
    // An entry about the account tells the time when it happened.
    return ofWaba.some(({ number }) => number === undefined) ? { id, time, changes } : { id, changes }
  })
}

const gathered = ['messages', 'statuses', 'contacts', 'message_echoes']

/** One change for all of these; those that have no lists to be put together stay as they are. */
function together(occurrences: readonly Occurrence[]): Change[] {
  const changes = occurrences.map(({ field, value }): Change => ({ field, value }))
  const [first] = changes
  if (!first || !Object.keys(first.value).some((name) => gathered.includes(name))) return changes
  const lists = gathered.flatMap((name) => {
    if (!(name in first.value)) return []
    const all = changes.flatMap(({ value }) => value[name] as object[])
    return [[name, name === 'contacts' ? distinct(all) : all]]
  })
  return [{ field: first.field, value: { ...first.value, ...Object.fromEntries(lists) } }]
}

function distinct(things: readonly object[]): object[] {
  return [...new Map(things.map((one) => [JSON.stringify(one), one])).values()]
}

function nameUnknownNumber(webhook: Webhook): void {
  for (const { value } of webhook.entry.flatMap(({ changes }) => changes))
    if ('metadata' in value) Object.assign(value.metadata as object, { phone_number_id: '999999999999999' })
}

/** JSON as the network writes it, with everything beyond ASCII escaped, so that writing it again gives other bytes. */
function asMetaWrites(value: unknown): string {
  const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(value)
    .replaceAll('/', '\\/')
    .replaceAll(/[\u0080-\uffff]/g, escaped)
}
