import type { Callbacks } from './callbacks.ts'
import { GraphError } from './graph-error.ts'
import { faultsOfSubscription } from './schemas/request.ts'
import { errorFor } from './sending/messages.ts'
import { shownTemplate } from './sending/templates.ts'
import type { BusinessNumber, TakenMessage, World } from './world.ts'

interface Page {
  readonly data: readonly unknown[]
  readonly paging?: object
}

/** The accounts and numbers, and their callback URLs. */
export class Accounts {
  readonly #world: World
  readonly #callbacks: Callbacks

  constructor(world: World, callbacks: Callbacks) {
    this.#world = world
    this.#callbacks = callbacks
  }

  /** The fields of a number that are asked for. Throws a GraphError. */
  number(number: BusinessNumber, fields: string | null): object {
    const known: Readonly<Record<string, unknown>> = {
      id: number.id,
      display_phone_number: `+${number.display_phone_number}`,
      verified_name: number.verified_name,
      quality_rating: number.quality_rating ?? 'GREEN',
      code_verification_status: 'VERIFIED',
      platform_type: 'CLOUD_API',
      throughput: { level: this.#world.settings.throughput > 80 ? 'HIGH' : 'STANDARD' },
      status: 'CONNECTED',
      name_status: 'APPROVED',
      account_mode: 'LIVE',
      messaging_limit_tier: 'TIER_2K',
      is_on_biz_app: false,
    }
    return picked(known, fields?.split(',') ?? Object.keys(known).slice(0, 7), 'WhatsAppBusinessPhoneNumber')
  }

  /** The fields of an account that are asked for. Throws a GraphError. */
  waba(id: string, fields: string | null): object {
    const known = { id, name: 'Posthorn', timezone_id: '1', message_template_namespace: 'posthorn' }
    return picked(known, fields?.split(',') ?? Object.keys(known), 'WhatsAppBusinessAccount')
  }

  numbers(waba: string, url: URL): Page {
    const numbers = [...this.#world.numbers.values()].filter((number) => number.waba === waba)
    return paged(numbers, url, (number) => this.number(number, url.searchParams.get('fields')))
  }

  templates(waba: string, url: URL): Page {
    const fits = (field: 'name' | 'language' | 'status' | 'category', value: string) =>
      url.searchParams.get(field) === null || url.searchParams.get(field) === value
    const found = this.#world.templates.filter(
      (one) =>
        one.waba === waba &&
        fits('name', one.name) &&
        fits('language', one.language) &&
        fits('status', one.status) &&
        fits('category', one.category),
    )
    const fields = url.searchParams.get('fields')
    return paged(found, url, (template) => shownTemplate(template, fields))
  }

  /** Returns the fate of the messages of a number: without recipients and callback data, and events only on demand. */
  history(number: BusinessNumber, url: URL): Page {
    const only = url.searchParams.get('message_id')
    const ofNumber = ({ phone_number_id, id }: TakenMessage) =>
      phone_number_id === number.id && (only === null || id === only)
    const withEvents = (url.searchParams.get('fields') ?? 'id,message_id').includes('events')
    return paged(this.#world.taken.filter(ofNumber), url, (message) => ({
      id: `10000${String(message.sequence).padStart(10, '0')}`,
      message_id: message.id,
      ...(withEvents && { events: { data: this.#eventsOf(message) } }),
    }))
  }

  #eventsOf({ statuses, sequence, id }: TakenMessage): object[] {
    const { deliveries } = this.#callbacks
    return statuses.map(({ status, at, error }, index) => {
      const told = deliveries.find(
        ({ body }) =>
          body.includes(JSON.stringify(id).replaceAll('/', '\\/')) && body.includes(`"${status}"`),
      )
      const states = { waiting: 'RETRYING', delivered: 'DELIVERED', 'given-up': 'FAILED' }
      return {
        id: `20000${String(sequence * 10 + index).padStart(10, '0')}`,
        delivery_status: status.toUpperCase(),
        timestamp: Math.floor(at / 1000),
        webhook_update_state: told ? states[told.state] : 'PENDING',
        ...(told && { webhook_uri: told.url }),
        ...(error !== null && { error_description: error }),
      }
    })
  }

  subscriptions(waba: string): Page {
    const { subscriptions, app } = this.#world
    if (!subscriptions.has(waba)) return { data: [] }
    const override = subscriptions.get(waba)
    const about = { id: app.id, name: 'Posthorn', link: `https://www.facebook.com/games/?app_id=${app.id}` }
    return {
      data: [{ whatsapp_business_api_data: about, ...(override && { override_callback_uri: override }) }],
    }
  }

  /** Subscribes the app, with an override if there is one, which is verified first. Throws a GraphError. */
  async subscribe(waba: string, body: unknown): Promise<object> {
    this.#world.subscriptions.set(waba, await this.#verified(body))
    return { success: true }
  }

  unsubscribe(waba: string): object {
    return { success: this.#world.subscriptions.delete(waba) }
  }

  /** Sets the override of a number, or takes it away with an empty one. Throws a GraphError. */
  async configure(number: BusinessNumber, body: unknown): Promise<object> {
    const { webhook_configuration: asked } = body as { webhook_configuration?: Record<string, unknown> }
    if (!asked) throw new GraphError(100, 'The parameter webhook_configuration is required.')
    number.override = asked.override_callback_uri === '' ? undefined : await this.#verified(asked)
    return { success: true }
  }

  async #verified(body: unknown): Promise<string | undefined> {
    const [fault] = faultsOfSubscription(body)
    if (fault) throw errorFor(fault)
    const { override_callback_uri: url, verify_token: token } = body as Record<string, string | undefined>
    if (url === undefined) return undefined
    if (token === undefined) throw new GraphError(131008, 'The parameter verify_token is required.')
    await this.#callbacks.verify(url, token)
    return url
  }
}

/** Throws a GraphError for a field that there is none of. */
function picked(known: Readonly<Record<string, unknown>>, asked: readonly string[], type: string): object {
  const strange = asked.find((field) => !Object.hasOwn(known, field))
  if (strange !== undefined)
    throw new GraphError(100, `Tried accessing nonexisting field (${strange}) on node type (${type})`)
  return Object.fromEntries(['id', ...asked].map((field) => [field, known[field]]))
}

/** A part of a list, by cursors. Throws a GraphError. */
function paged<T>(all: readonly T[], url: URL, shown: (one: T) => object): Page {
  const limit = Number(url.searchParams.get('limit') ?? 25)
  if (!Number.isInteger(limit) || limit < 1 || limit > 100)
    throw new GraphError(100, 'Param limit must be a number from 1 to 100.')
  const after = url.searchParams.get('after')
  const start = after === null ? 0 : Number(Buffer.from(after, 'base64url').toString()) + 1
  if (Number.isNaN(start)) throw new GraphError(100, 'Param after is not a cursor.')
  const part = all.slice(start, start + limit)
  if (part.length === 0) return { data: [] }
  const last = start + part.length - 1
  const cursor = (index: number) => Buffer.from(String(index)).toString('base64url')
  const next = new URL(url)
  next.searchParams.set('after', cursor(last))
  const cursors = { before: cursor(start), after: cursor(last) }
  return {
    data: part.map(shown),
    paging: { cursors, ...(last + 1 < all.length && { next: next.href }) },
  }
}
