import type { Act } from './acts.ts'
import type { Callbacks, Delivery } from './callbacks.ts'
import type { FileFault, GroupFault, HttpFault, PostFault, StatusFault } from './faults.ts'
import { isErrorCode } from './graph-error.ts'
import { newGroup } from './groups/group.ts'
import type { Groups } from './groups/groups.ts'
import type { EchoAct, People } from './people.ts'
import { faultsOfTemplate, type TemplateFields } from './schemas/template.ts'
import type { Field, StatusName } from './schemas/webhook.ts'
import type { Statuses } from './sending/statuses.ts'
import {
  type BusinessNumber,
  newGraphId,
  type Person,
  type Receives,
  type Settings,
  type TakenMessage,
  type TemplateRecord,
  type Token,
  type World,
} from './world.ts'

export interface NewPerson {
  readonly name?: string
  readonly phone?: string
  readonly user_id?: string
  readonly parent_user_id?: string
  readonly username?: string
  readonly blocked?: boolean
  readonly on_whatsapp?: boolean
  readonly receives?: Receives
  /** Milliseconds since the person last wrote to each number; by default never. */
  readonly wrote_ago?: number
}

export type Faults =
  | { readonly on: 'http'; readonly fault: HttpFault }
  | { readonly on: 'status'; readonly fault: StatusFault }
  | { readonly on: 'webhook'; readonly fault: PostFault }
  | { readonly on: 'file'; readonly fault: FileFault }
  | { readonly on: 'group'; readonly fault: GroupFault }

/** Everything that can be asked of the control side: what each order takes and gives. */
export interface Orders {
  number: [NewNumber, BusinessNumber]
  rate: [{ readonly number?: string; readonly quality_rating: 'GREEN' | 'YELLOW' | 'RED' }, null]
  token: [{ readonly token: string } & Token, null]
  app: [{ readonly callback: string; readonly verify_token: string; readonly subscribe?: boolean }, null]
  /** Subscribes the app to the account of a number that was added later. */
  subscribe: [{ readonly waba: string }, null]
  person: [NewPerson, { readonly user_id: string }]
  change: [
    { readonly person: string } & Partial<Pick<Person, 'blocked' | 'on_whatsapp' | 'receives' | 'username'>>,
    { readonly user_id: string },
  ]
  /** A group of these people, and of the business, which nothing tells. */
  group: [
    { readonly people: readonly string[]; readonly number?: string; readonly subject?: string },
    { readonly id: string },
  ]
  /** A person taps on an invite link, or leaves; and Meta suspends a group. */
  join: [{ readonly person: string; readonly link: string }, { readonly id: string }]
  leave: [{ readonly person: string; readonly group: string }, null]
  /** A person no longer asks to join. */
  withdraw: [{ readonly person: string; readonly group: string }, null]
  suspend: [{ readonly group: string }, null]
  /** The groups there are, with the user ids of their members. */
  groups: [Record<string, never>, readonly SeenGroup[]]
  template: [Partial<TemplateRecord> & { readonly name: string }, TemplateRecord]
  act: [{ readonly person: string; readonly number?: string } & Act, { readonly id: string }]
  echo: [{ readonly person: string; readonly number?: string } & EchoAct, { readonly id: string }]
  /** A webhook about the account. */
  announce: [{ readonly waba?: string; readonly field: Field; readonly value: Record<string, unknown> }, null]
  status: [{ readonly message_id: string; readonly status: StatusName; readonly code?: number }, null]
  flood: [{ readonly count: number; readonly number?: string }, null]
  flush: [Record<string, never>, { readonly callbacks: number }]
  fault: [Faults, null]
  'clear-faults': [Record<string, never>, null]
  settings: [Partial<Settings>, null]
  advance: [{ readonly ms: number }, null]
  taken: [{ readonly at_least?: number }, readonly TakenMessage[]]
  /** Resolves when so many callbacks are settled, and none waits. */
  webhooks: [{ readonly at_least?: number }, readonly Delivery[]]
  refused: [Record<string, never>, World['refused']]
  /** True if the business marked a message of a person as read, or showed that it is writing an answer to it. */
  read: [{ readonly message_id: string }, { readonly read: boolean; readonly answering?: boolean }]
}

export interface SeenGroup {
  readonly id: string
  readonly number: string
  readonly subject: string
  readonly members: readonly string[]
}

export interface NewNumber {
  readonly id?: string
  readonly waba: string
  readonly display_phone_number: string
  readonly verified_name?: string
}

type Handlers = {
  readonly [name in keyof Orders]: (asked: Orders[name][0]) => Orders[name][1] | Promise<Orders[name][1]>
}

interface Controlled {
  readonly callbacks: Callbacks
  readonly statuses: Statuses
  readonly people: People
  readonly groups: Groups
}

/** The side on which tests say what happens in the world. */
export class Control {
  readonly #world: World
  readonly #callbacks: Callbacks
  readonly #statuses: Statuses
  readonly #people: People
  readonly #groups: Groups
  readonly #handlers: Handlers

  constructor(world: World, { callbacks, statuses, people, groups }: Controlled) {
    this.#world = world
    this.#groups = groups
    this.#callbacks = callbacks
    this.#statuses = statuses
    this.#people = people
    this.#handlers = {
      ...this.#things(),
      ...this.#happenings(),
      ...this.#conditions(),
      ...this.#records(),
      ...this.#ofGroups(),
    }
  }

  /** Carries out an order. Throws if it cannot be. */
  async do(name: string, asked: unknown): Promise<unknown> {
    if (!Object.hasOwn(this.#handlers, name)) throw new Error(`there is no order ${name}`)
    const handle = this.#handlers[name as keyof Orders] as (asked: unknown) => unknown
    return (await handle(asked)) ?? null
  }

  #things(): Pick<
    Handlers,
    'number' | 'rate' | 'token' | 'app' | 'subscribe' | 'person' | 'change' | 'template'
  > {
    const world = this.#world
    return {
      number: (asked) => {
        const number = { id: newGraphId(), verified_name: 'Posthorn', ...asked }
        world.numbers.set(number.id, number)
        return number
      },
      rate: ({ number, quality_rating }) => done(Object.assign(this.#number(number), { quality_rating })),
      token: ({ token, ...about }) => done(world.tokens.set(token, about)),
      app: async ({ callback, verify_token, subscribe }) => {
        await this.#callbacks.verify(callback, verify_token)
        world.app.callback = callback
        if (subscribe)
          for (const { waba } of world.numbers.values())
            if (!world.subscriptions.has(waba)) world.subscriptions.set(waba, undefined)
        return null
      },
      subscribe: ({ waba }) => done(world.subscriptions.set(waba, undefined)),
      person: (asked) => this.#addPerson(asked),
      change: ({ person, ...changes }) => {
        const { user_id } = Object.assign(this.#person(person), changes)
        return { user_id }
      },
      template: (asked) => this.#keepTemplate(asked),
    }
  }

  #ofGroups(): Pick<Handlers, 'group' | 'join' | 'leave' | 'withdraw' | 'suspend' | 'groups'> {
    const { groups } = this.#world
    return {
      group: ({ people, number, subject }) => {
        const about = subject === undefined ? {} : { subject }
        const group = newGroup(this.#number(number).id, this.#world.now(), about)
        for (const person of people) group.members.add(this.#person(person))
        groups.set(group.id, group)
        return { id: group.id }
      },
      join: ({ person, link }) => ({ id: this.#groups.join(this.#person(person), link).id }),
      leave: ({ person, group }) => done(this.#groups.leave(this.#person(person), group)),
      withdraw: ({ person, group }) => done(this.#groups.withdraw(this.#person(person), group)),
      suspend: ({ group }) => done(this.#groups.suspend(group)),
      groups: () =>
        [...groups.values()].map(({ id, number, subject, members }) => {
          return { id, number, subject, members: [...members].map(({ user_id }) => user_id) }
        }),
    }
  }

  #happenings(): Pick<Handlers, 'act' | 'echo' | 'announce' | 'status' | 'flood' | 'flush'> {
    return {
      act: ({ person, number, ...act }) => {
        return { id: this.#people.do(this.#person(person), this.#number(number), act as Act) }
      },
      echo: ({ person, number, ...act }) => {
        return { id: this.#people.echo(this.#person(person), this.#number(number), act) }
      },
      announce: ({ waba, field, value }) =>
        done(this.#callbacks.tell({ waba: waba ?? this.#number().waba, field, value })),
      status: ({ message_id, status, code }) => {
        const message = this.#world.takenById.get(message_id)
        if (!message) throw new Error('no such message was taken')
        if (code !== undefined && !isErrorCode(code)) throw new Error(`the network has no error ${code}`)
        const verdict = code === undefined ? undefined : { code, details: 'The message failed.' }
        return done(this.#statuses.set(message, status, verdict))
      },
      flood: ({ count, number }) => {
        const { id, waba } = this.#number(number)
        return done(this.#statuses.flood(waba, id, count))
      },
      flush: () => ({ callbacks: this.#callbacks.flush() }),
    }
  }

  #conditions(): Pick<Handlers, 'fault' | 'clear-faults' | 'settings' | 'advance'> {
    const { httpFaults, statusFaults, postFaults, fileFaults, groupFaults } = this.#world
    return {
      fault: ({ on, fault }) => {
        if (on === 'http') httpFaults.add(fault)
        else if (on === 'status') statusFaults.add(fault)
        else if (on === 'webhook') postFaults.add(fault)
        else if (on === 'group') groupFaults.add(fault)
        else fileFaults.add(fault)
        return null
      },
      'clear-faults': () => {
        for (const queue of [httpFaults, statusFaults, postFaults, fileFaults, groupFaults]) queue.clear()
        return null
      },
      settings: (asked) => done(Object.assign(this.#world.settings, asked)),
      advance: ({ ms }) => done(this.#world.advance(ms)),
    }
  }

  #records(): Pick<Handlers, 'taken' | 'webhooks' | 'refused' | 'read'> {
    const world = this.#world
    return {
      taken: async ({ at_least = 0 }) => {
        await this.#until(() => world.taken.length >= at_least)
        return world.taken
      },
      webhooks: async ({ at_least = 0 }) => {
        const { deliveries } = this.#callbacks
        const isSettled = () => deliveries.every(({ state }) => state !== 'waiting')
        await this.#until(() => deliveries.length >= at_least && isSettled())
        return deliveries
      },
      refused: () => world.refused,
      read: ({ message_id }) => {
        const { read = false, answering = false } = world.written.get(message_id) ?? {}
        return { read, ...(answering && { answering }) }
      },
    }
  }

  /** A template with the same name and language is replaced. */
  #keepTemplate(asked: Orders['template'][0]): TemplateRecord {
    const { templates } = this.#world
    const own = { id: newGraphId(), waba: this.#number().waba }
    const template: TemplateRecord = { ...own, ...usualTemplate, ...asked }
    const { waba, ...fields } = template
    const [fault] = faultsOfTemplate(fields)
    if (fault) throw new Error(`there is no such template: ${fault.message}`)
    const isSame = (one: TemplateRecord) =>
      one.waba === waba && one.name === fields.name && one.language === fields.language
    const place = templates.findIndex(isSame)
    templates.splice(place < 0 ? templates.length : place, 1, template)
    return template
  }

  #addPerson(asked: NewPerson): { readonly user_id: string } {
    const { wrote_ago, phone, username, receives } = asked
    const person: Person = {
      name: asked.name ?? 'Ada',
      phone,
      user_id: asked.user_id ?? `US.${newGraphId()}`,
      parent_user_id: asked.parent_user_id,
      username,
      blocked: asked.blocked ?? false,
      on_whatsapp: asked.on_whatsapp ?? true,
      last_wrote: new Map(),
      no_marketing: new Set(),
      receives,
    }
    if (wrote_ago !== undefined)
      for (const id of this.#world.numbers.keys()) person.last_wrote.set(id, this.#world.now() - wrote_ago)
    this.#world.people.add(person)
    return { user_id: person.user_id }
  }

  #person(address: string): Person {
    const person = this.#world.person(address)
    if (!person) throw new Error('there is no such person')
    return person
  }

  /** By id; without one, the first. */
  #number(id?: string): BusinessNumber {
    const [first] = this.#world.numbers.values()
    const number = id === undefined ? first : this.#world.numbers.get(id)
    if (!number) throw new Error('there is no such number')
    return number
  }

  #until(isSo: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!isSo()) return
        this.#world.changed.off('changed', look)
        resolve()
      }
      this.#world.changed.on('changed', look)
      look()
    })
  }
}

const usualTemplate: Omit<TemplateFields, 'id' | 'name'> = {
  language: 'en_US',
  category: 'UTILITY',
  status: 'APPROVED',
  components: [{ type: 'BODY', text: 'Hello!' }],
  rejected_reason: 'NONE',
  parameter_format: 'POSITIONAL',
}

function done(_: unknown): null {
  return null
}
