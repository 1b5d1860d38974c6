import assert from 'node:assert/strict'
import type { AttemptResult, WebhookPost } from '../../../src/events/delivery/attempt/webhook-client.ts'
import { Deliverer } from '../../../src/events/delivery/deliverer/deliverer.ts'
import { WebhookSecrets } from '../../../src/events/webhook-secrets.ts'
import { createWebhook } from '../../../src/events/webhook-store.ts'
import { renderMessageEvent } from '../../../src/messages/message-events.ts'
import { Changes } from '../../../src/runtime/changes.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { Seal } from '../../../src/runtime/secrets/seal.ts'
import { type Store, StoreUnavailable } from '../../../src/store/store.ts'
import { FakeTime } from '../fake-time.ts'
import { DeliveryFixture, embedded } from './delivery-fixture.ts'
import { appendTestEvents, inspectDeliveries, resetDeliveries } from './delivery-store.ts'

export const secrets = new WebhookSecrets(new Seal(new Uint8Array(32).fill(7)))

/** A post that a receiver has, and has not answered. */
export interface Posted extends WebhookPost {
  /** When, on the clock of the play. */
  readonly at: number
  answer(result: AttemptResult): void
}

/** The secret of every webhook here. */
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

/** Keeps a webhook that gets every event. */
async function addWebhook(store: Store, id: string, organization: string): Promise<void> {
  const webhook = {
    id,
    organization_id: organization,
    url: `https://example.org/${id}`,
    event_types: null,
    instance_names: null,
    ordering: 'none' as const,
    secret: secrets.close(id, secret),
    created_at: 0,
  }
  await store.transact(createWebhook, { webhook, limit: null })
}

export const ok = said(204)
export const failure = said(500)

export function said(status: number, retryAfter: number | null = null): AttemptResult {
  return { kind: 'responded', status, retryAfter, body: '', duration: 1 }
}

/** A store for tests of deliverers, which each test finds with nothing in it but `org_a` and `org_b`. */
export class DelivererSetup {
  readonly #fixture = new DeliveryFixture(embedded)

  get store(): Store {
    return this.#fixture.store
  }

  /** Leaves nothing but these organizations. */
  async reset(organizations: string[]): Promise<void> {
    await this.store.transact(resetDeliveries, organizations)
  }

  webhook(id = 'wh_1', owner = 'org_a'): Promise<void> {
    return addWebhook(this.store, id, owner)
  }

  /** A fixture whose deliverer has begun nothing. */
  fixture(time?: FakeTime): DelivererFixture {
    return new DelivererFixture(this.store, time)
  }

  /** A fixture whose deliverer knows of the webhooks of `org_a`. */
  begun(time?: FakeTime): DelivererFixture {
    const fixture = this.fixture(time)
    fixture.deliverer.deliver('org_a')
    return fixture
  }

  /** The same with a webhook there. */
  async begunWithWebhook(time?: FakeTime): Promise<DelivererFixture> {
    await this.webhook()
    return this.begun(time)
  }
}

/** A deliverer whose receivers and whose time do what the play says. */
export class DelivererFixture {
  readonly time: FakeTime
  readonly posts: Posted[] = []
  /** The immediate answer of receivers; null if the play answers by itself. */
  reception: (post: WebhookPost) => AttemptResult | null = () => null
  /** Before and after the store does something. */
  storeFails: 'before' | 'after' | undefined
  /** The deliverer hears what its transactions did once this has resolved. */
  answers: Promise<void> | undefined
  /** The node of the deliverer has the duty of delivering. */
  isOurs = true
  transactions = 0
  /** Number of them that failed. */
  failures = 0
  readonly deliverer: Deliverer
  readonly #store: Store
  /** Questions of the deliverer that the store has not answered. */
  #questions = 0
  #most = 0
  #open = 0

  constructor(store: Store, time = new FakeTime()) {
    this.#store = store
    this.time = time
    this.deliverer = new Deliverer({
      clock: time.clock,
      alarms: time.alarms,
      store: this.#flakyStore(),
      random: () => 0.5,
      log: silentLog,
      webhookSecrets: secrets,
      renderMessage: renderMessageEvent,
      client: { post: (post, signal) => this.#post(post, signal), close: () => {} },
      deliveryChanges: new Changes(),
      metrics: { attemptedDelivery: () => {} },
      concurrency: 64,
      isOurs: () => this.isOurs,
      tellNode: () => {},
      longestWait: 5 * 60_000,
    })
  }

  /** Returns the posts for a webhook. */
  of(webhook: string): Posted[] {
    return this.posts.filter(({ webhookId }) => webhookId === webhook)
  }

  /** Number of posts that are not answered. */
  get open(): number {
    return this.#open
  }

  /** The most posts that were open at the same time. */
  get most(): number {
    return this.#most
  }

  async append(count = 1, owner = 'org_a'): Promise<void> {
    const events = Array.from(
      { length: count },
      () => ({ type: 'message.sent', instance: null, data: {} }) as const,
    )
    await this.#store.transact(appendTestEvents, { organization: owner, now: this.time.now, events })
    this.deliverer.wake(owner)
  }

  rows() {
    return this.#store.read(inspectDeliveries, null)
  }

  /** Waits until this holds; nothing here takes long, except on a machine that is busy with other things. */
  async until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    const end = performance.now() + 60_000
    while (!(await holds())) {
      assert.ok(performance.now() < end, `in vain: ${what}`)
      await new Promise(setImmediate)
    }
  }

  /**
   * Waits until the deliverer has nothing left to do but to wait for answers and alarms: the store has answered all of its
   * questions, and every attempt that is under way was posted. Consequences of an answer follow in the same turn of the
   * event loop, so all of them are seen at the beginning of the next.
   */
  async settled(): Promise<void> {
    await new Promise(setImmediate)
    const isAtRest = () => this.#questions === 0 && this.deliverer.underway === this.#open
    await this.until('the deliverer to be at rest', isAtRest)
  }

  /** Lets time pass in steps of so many milliseconds, and the deliverer do at each what is due. */
  async pass(milliseconds: number, step: number): Promise<void> {
    for (let passed = 0; passed < milliseconds; passed += step) {
      this.time.pass(step)
      await this.settled()
    }
  }

  /** Waits until so many posts came, and no more. */
  async posted(count: number): Promise<void> {
    await this.until(`${count} posts, of which came ${this.posts.length}`, () => this.posts.length >= count)
    await this.settled()
    assert.equal(this.posts.length, count)
  }

  /** Waits until so many attempts are kept, and what follows from them was done. */
  async kept(count: number): Promise<void> {
    await this.until(`${count} attempts`, async () => (await this.rows()).attempts.length >= count)
    await this.settled()
  }

  #flakyStore(): Store {
    const transact: Store['transact'] = async (transaction, args) => {
      this.transactions++
      if (this.storeFails === 'before') throw this.#failure('the store is away')
      const value = await this.#asked(this.#store.transact(transaction, args))
      await this.answers
      if (this.storeFails === 'after') throw this.#failure('the answer was lost')
      return value
    }
    return {
      dialect: this.#store.dialect,
      read: (query, args) => this.#asked(this.#store.read(query, args)),
      transact,
      close: async () => {},
    }
  }

  async #asked<T>(answer: Promise<T>): Promise<T> {
    this.#questions++
    try {
      return await answer
    } finally {
      this.#questions--
    }
  }

  #failure(message: string): StoreUnavailable {
    this.failures++
    return new StoreUnavailable(message)
  }

  #post(post: WebhookPost, signal: AbortSignal): Promise<AttemptResult> {
    return new Promise((resolve) => {
      this.#most = Math.max(this.#most, ++this.#open)
      let isOpen = true
      const answer = (result: AttemptResult) => {
        if (isOpen) this.#open--
        isOpen = false
        resolve(result)
      }
      const interrupted = { kind: 'failed', code: 'interrupted', detail: 'It ended.', duration: 1 } as const
      signal.addEventListener('abort', () => answer(interrupted), { once: true })
      this.posts.push({ ...post, at: this.time.now, answer })
      const result = this.reception(post)
      if (result) answer(result)
    })
  }
}
