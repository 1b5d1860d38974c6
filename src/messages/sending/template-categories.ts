import { Problem } from '../../contract/problem.ts'
import type { MessageTemplate } from '../../contract/resources/template.ts'
import type { TemplateQuestion, TemplatesAnswer } from '../../networks/driver/abilities/templates.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'
import type { StoreForAll, Turn } from '../../store/store.ts'
import { noteCategories } from '../marketing/known-templates.ts'
import { findTemplateFacts, isMarketing } from '../marketing/opted-out.ts'

/** Has the runner of an instance ask its network for templates, on whichever node it runs. */
export interface TemplateLister {
  ask(
    instance: string,
    task: 'list-templates',
    question: Omit<TemplateQuestion, 'signal'>,
    signal: AbortSignal,
  ): Promise<TemplatesAnswer | { readonly kind: 'busy' } | undefined>
}

interface Context {
  readonly store: StoreForAll
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'debug'>
  readonly supervisor: TemplateLister
}

/** Milliseconds after which a category is asked for again: its network may have changed it. */
const fresh = 24 * 60 * 60_000
/** Milliseconds before a network is asked again for a template of which it said nothing. */
const silence = 10 * 60_000
/** Milliseconds that a request to send waits for the network's list. */
const askTimeout = 10_000
/** Templates that are remembered as asked for, and lists that are waited for at once. */
const maxAsked = 10_000
const maxUnderway = 20
/** A template has at most this many languages that matter here. */
const maxListed = 100

/** A template to send, and to whom. */
export interface TemplateToSend extends Pick<MessageTemplate, 'name' | 'language' | 'category'> {
  readonly instance: string
  readonly address: string
  readonly party: string
  readonly turn: Turn
}

/**
 * Keeps messages for marketing from people who want none. The category of a template is known from what its network told; if it told
 * nothing, its list is asked for: beside the message, or before it is accepted if its recipient opted out.
 */
export class TemplateCategories {
  readonly #context: Context
  /** When a template was last asked for, by its instance and name; the oldest first. */
  readonly #asked = new Map<string, number>()
  #underway = 0

  constructor(context: Context) {
    this.#context = context
  }

  /** Throws the problem of a template for marketing to a person who opted out. */
  async admit(template: TemplateToSend): Promise<void> {
    const { store, clock } = this.#context
    const { instance, address, name, language, category, turn } = template
    const asked = { instance, address, name, language, ...(category && { category }) }
    const facts = await store.read(findTemplateFacts, asked, turn)
    const isFresh = facts.category !== null && (facts.toldAt ?? 0) > clock.now() - fresh
    if (!facts.isOptedOut) {
      if (!isFresh && this.#mayAsk(template)) void this.#learn(template)
      return
    }
    const told =
      isFresh || !this.#mayAsk(template) ? facts.category : ((await this.#learn(template)) ?? facts.category)
    if (isMarketing(told, category)) throw new Problem('recipient_opted_out')
  }

  /** Says whether the network may be asked for a template now, and notes that it is. */
  #mayAsk({ instance, name }: TemplateToSend): boolean {
    if (this.#underway >= maxUnderway) return false
    const key = `${instance} ${name}`
    const now = this.#context.clock.now()
    if ((this.#asked.get(key) ?? -silence) > now - silence) return false
    this.#asked.delete(key)
    this.#asked.set(key, now)
    const [oldest] = this.#asked.keys()
    if (this.#asked.size > maxAsked && oldest !== undefined) this.#asked.delete(oldest)
    return true
  }

  /** Asks the network for a template, and keeps what it says; resolves with the category, or null if it says none. Never rejects. */
  async #learn({ instance, name, language, party }: TemplateToSend): Promise<string | null> {
    const { store, clock, log, supervisor } = this.#context
    this.#underway += 1
    try {
      const question = { limit: maxListed, after: null, name }
      const answer = await supervisor.ask(
        instance,
        'list-templates',
        question,
        AbortSignal.timeout(askTimeout),
      )
      if (answer?.kind !== 'listed') {
        // It was not asked after all, or not heard: the next message may try again.
        this.#asked.delete(`${instance} ${name}`)
        return null
      }
      const own = answer.templates.filter((one) => one.name === name).slice(0, maxListed)
      const templates = own.map(({ language: spoken, category }) => ({ name, language: spoken, category }))
      if (templates.length > 0)
        await store.transact(noteCategories, { instanceId: instance, templates, now: clock.now() }, { party })
      return own.find((one) => one.language === language)?.category ?? null
    } catch (error) {
      log.debug({ err: error, instance_id: instance }, 'could not learn the category of a template')
      return null
    } finally {
      this.#underway -= 1
    }
  }
}
