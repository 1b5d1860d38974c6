import type { Callbacks } from '../callbacks.ts'
import type { GroupFault } from '../faults.ts'
import { type ErrorCode, failureOf, GraphError, isErrorCode, unknownObject } from '../graph-error.ts'
import { ofNumber, phoneShown, seconds } from '../parties.ts'
import type { SchemaFault } from '../schemas/check.ts'
import {
  faultsOfLinkRequest,
  faultsOfNewGroup,
  faultsOfRemoval,
  faultsOfRequestsAnswer,
  faultsOfSettings,
  type GroupField,
  type NewGroupRequest,
  type RemovalRequest,
  type RequestsAnswer,
  type SettingsRequest,
} from '../schemas/groups.ts'
import { type Answer, errorFor } from '../sending/messages.ts'
import type { BusinessNumber, Group, Person, World } from '../world.ts'
import { maxMembers, newGroup, newLink, newRequestId } from './group.ts'

type Result = readonly [field: GroupField, about: Readonly<Record<string, unknown>>]

const product = { messaging_product: 'whatsapp' }

/** The Groups API: it takes orders, and tells afterwards what became of them. Source: Groups API, Group management. */
export class Groups {
  readonly #world: World
  readonly #callbacks: Callbacks

  constructor(world: World, callbacks: Callbacks) {
    this.#world = world
    this.#callbacks = callbacks
  }

  create(number: BusinessNumber, body: unknown): Promise<Answer> {
    const about = checked<NewGroupRequest>(faultsOfNewGroup, body)
    const { groups: allowed, most_groups } = this.#world.settings
    if (allowed === 'not-eligible')
      throw new GraphError(131215, 'Groups APIs are only available for eligible phone numbers.')
    if (allowed === 'paused') throw new GraphError(131214, 'Group creation is temporarily disabled.')
    if (this.#of(number).length >= most_groups) throw new GraphError(131211, 'The limit is reached.')
    const subject = about.subject.trim()
    if (subject === '') throw new GraphError(100, 'The subject is empty.')
    return this.#later(number, (code) => {
      const type = 'group_create'
      if (code !== undefined)
        return ['group_lifecycle_update', { type, subject, errors: [failureOf(code, 'It failed.')] }]
      const group = newGroup(number.id, this.#world.now(), { ...about, subject })
      this.#world.groups.set(group.id, group)
      const { id: group_id, link: invite_link, join_approval_mode } = group
      return ['group_lifecycle_update', { type, group_id, subject, invite_link, join_approval_mode }]
    })
  }

  list(number: BusinessNumber, { searchParams }: URL): object {
    const limit = Number(searchParams.get('limit') ?? 25)
    if (!(Number.isInteger(limit) && limit >= 1 && limit <= 1024)) throw new GraphError(100, 'limit')
    const all = this.#of(number)
    const from = placeIn(searchParams.get('after'), all.length)
    const page = all.slice(from, from + limit)
    const groups = page.map(({ id, subject, created_at }) => ({
      id,
      subject,
      created_at: seconds(created_at),
    }))
    const after = cursorAt(from + page.length)
    const next = {
      next: `https://graph.facebook.com/v26.0/${number.id}/groups?limit=${limit}&after=${after}`,
    }
    return {
      data: { groups },
      paging: {
        cursors: { after, before: cursorAt(from) },
        ...(from + page.length < all.length && next),
      },
    }
  }

  show(group: Group, fields: string | null): object {
    const known: Readonly<Record<string, unknown>> = {
      subject: group.subject,
      description: group.description,
      join_approval_mode: group.join_approval_mode,
      suspended: group.suspended,
      creation_timestamp: Math.floor(group.created_at / 1000),
      participants: [...group.members].map(named),
      total_participant_count: group.members.size,
    }
    const asked = fields?.split(',') ?? []
    for (const field of asked)
      if (!Object.hasOwn(known, field)) throw new GraphError(100, `There is no field ${field}.`)
    return { ...product, id: group.id, ...Object.fromEntries(asked.map((field) => [field, known[field]])) }
  }

  change(group: Group, body: unknown): Promise<Answer> {
    const { subject, description } = checked<SettingsRequest>(faultsOfSettings, body)
    checkActive(group)
    return this.#later(this.#numberOf(group), (code) => {
      const failed = code !== undefined && { errors: [failureOf(code, 'It failed.')] }
      if (!failed && subject !== undefined) group.subject = subject.trim()
      if (!failed && description !== undefined) group.description = description
      const outcome = (text: string) => ({ text, update_successful: !failed, ...failed })
      return [
        'group_settings_update',
        {
          type: 'group_settings_update',
          group_id: group.id,
          ...(subject !== undefined && { group_subject: outcome(subject.trim()) }),
          ...(description !== undefined && { group_description: outcome(description) }),
          ...failed,
        },
      ]
    })
  }

  remove(group: Group): Promise<Answer> {
    return this.#later(this.#numberOf(group), (code) => {
      const about = { type: 'group_delete', group_id: group.id }
      if (code !== undefined)
        return ['group_lifecycle_update', { ...about, errors: [failureOf(code, 'It failed.')] }]
      this.#world.groups.delete(group.id)
      return ['group_lifecycle_update', about]
    })
  }

  removeMembers(group: Group, body: unknown): Promise<Answer> {
    const { participants } = checked<RemovalRequest>(faultsOfRemoval, body)
    const inputs = participants.map(({ user }) => user)
    if (new Set(inputs).size < inputs.length) throw new GraphError(131202, 'A participant is named twice.')
    return this.#later(this.#numberOf(group), (code) => {
      const found = inputs.map((input) => ({ input, person: this.#world.person(input) }))
      const isIn = ({ person }: (typeof found)[number]) => person !== undefined && group.members.has(person)
      const going = code === undefined ? found.filter(isIn) : []
      const failed = found.filter((one) => !going.includes(one))
      for (const { person } of going) {
        group.members.delete(person as Person)
        group.removed.add(person as Person)
      }
      const missing = failureOf(131212, 'Participant is not a part of the group.')
      const partly = failureOf(131201, 'Not all participants were removed.')
      return [
        'group_participants_update',
        {
          type: 'group_participants_remove',
          group_id: group.id,
          initiated_by: 'business',
          ...(going.length > 0 && { removed_participants: going.map(({ input }) => ({ input })) }),
          ...(failed.length > 0 && {
            failed_participants: failed.map(({ input }) => ({
              input,
              ...(code === undefined && { errors: [missing] }),
            })),
            errors: [code === undefined ? partly : failureOf(code, 'It failed.')],
          }),
        },
      ]
    })
  }

  link(group: Group): object {
    return { ...product, invite_link: group.link }
  }

  newLink(group: Group, body: unknown): object {
    checked(faultsOfLinkRequest, body)
    checkActive(group)
    group.link = newLink()
    return this.link(group)
  }

  /** The group with this id, if one of these accounts has it. Throws a GraphError. */
  group(id: string, wabas: readonly string[]): Group {
    const group = this.#world.groups.get(id)
    if (!group || !wabas.includes(this.#numberOf(group).waba)) throw unknownObject(id)
    return group
  }

  /** A person taps on an invite link. */
  join(person: Person, link: string): Group {
    const group = [...this.#world.groups.values()].find((one) => one.link === link)
    if (!group) throw new Error('the link is no longer valid')
    if (group.removed.has(person)) throw new Error('the person was removed')
    if (group.members.size >= maxMembers) throw new Error('the group is full')
    if (group.join_approval_mode === 'approval_required') {
      this.#ask(group, person)
      return group
    }
    group.members.add(person)
    const about = {
      type: 'group_participants_add',
      reason: 'invite_link',
      added_participants: [named(person)],
    }
    this.#tell(group, 'group_participants_update', about)
    return group
  }

  /** Requests to join a group (Groups API, Get join requests). */
  requests(group: Group, { searchParams }: URL): object {
    const limit = Number(searchParams.get('limit') ?? 25)
    const from = placeIn(searchParams.get('after'), group.requests.size)
    const page = [...group.requests].slice(from, from + limit)
    const after = cursorAt(from + page.length)
    const data = page.map(([join_request_id, { person, at }]) => {
      return { join_request_id, ...named(person), creation_timestamp: seconds(at) }
    })
    const next = `https://graph.facebook.com/v26.0/${group.id}/join_requests?after=${after}`
    const hasMore = from + page.length < group.requests.size
    return { data, paging: { cursors: { after, before: cursorAt(from) }, ...(hasMore && { next }) } }
  }

  /** Approves or rejects requests to join; a rejection is told by no webhook. */
  answer(group: Group, body: unknown, isApproval: boolean): Answer {
    const { join_requests: ids } = checked<RequestsAnswer>(faultsOfRequestsAnswer, body)
    const full = (id: string) => isApproval && group.requests.has(id) && group.members.size >= maxMembers
    const failed = ids.filter((id) => !group.requests.has(id) || full(id))
    const done = ids.filter((id) => !failed.includes(id))
    const people = done.map((id) => group.requests.get(id)?.person as Person)
    for (const id of done) group.requests.delete(id)
    if (isApproval) for (const person of people) group.members.add(person)
    const afterwards = () => {
      if (!isApproval || people.length === 0) return
      const about = {
        type: 'group_participants_add',
        reason: 'invite_link',
        added_participants: people.map(named),
      }
      this.#tell(group, 'group_participants_update', about)
    }
    const errors = [failureOf(131203, 'Unable to add participant to group')]
    const failures = failed.map((join_request_id) => ({ join_request_id, errors }))
    const told = { [isApproval ? 'approved_join_requests' : 'rejected_join_requests']: done }
    const rest = failed.length > 0 && { failed_join_requests: failures, errors }
    return { body: { ...product, ...told, ...rest }, afterwards }
  }

  /** A person no longer asks. */
  withdraw(person: Person, id: string): void {
    const group = this.#world.groups.get(id)
    const [request] = [...(group?.requests ?? [])].find(([, one]) => one.person === person) ?? []
    if (!group || request === undefined) throw new Error('the person does not ask to join')
    group.requests.delete(request)
    const about = { type: 'group_join_request_revoked', join_request_id: request, ...named(person) }
    this.#tell(group, 'group_participants_update', about)
  }

  #ask(group: Group, person: Person): void {
    const join_request_id = newRequestId()
    group.requests.set(join_request_id, { person, at: this.#world.now() })
    const about = {
      type: 'group_join_request_created',
      join_request_id,
      reason: 'invite_link',
      ...named(person),
    }
    this.#tell(group, 'group_participants_update', about)
  }

  leave(person: Person, id: string): void {
    const group = this.#world.groups.get(id)
    if (!group?.members.delete(person)) throw new Error('the person is not in the group')
    const who = { initiated_by: 'participant', removed_participants: [named(person)] }
    this.#tell(group, 'group_participants_update', { type: 'group_participants_remove', ...who })
  }

  suspend(id: string): void {
    const group = this.#world.groups.get(id)
    if (!group) throw new Error('there is no such group')
    group.suspended = true
    this.#tell(group, 'group_status_update', { type: 'group_suspend' })
  }

  #of({ id }: BusinessNumber): Group[] {
    return [...this.#world.groups.values()].filter(({ number }) => number === id)
  }

  #numberOf(group: Group): BusinessNumber {
    const number = this.#world.numbers.get(group.number)
    if (!number) throw new Error(`there is no number ${group.number}`)
    return number
  }

  #tell(group: Group, field: GroupField, about: object): void {
    this.#post(this.#numberOf(group), field, { ...about, group_id: group.id })
  }

  #post(number: BusinessNumber, field: GroupField, about: object): void {
    const groups = [{ timestamp: seconds(this.#world.now()), ...about }]
    this.#callbacks.tell({
      waba: number.waba,
      number: number.id,
      field,
      value: { ...ofNumber(number), groups },
    })
  }

  /** Takes an order; it is carried out afterwards, with the code of an error if a fault wants one. */
  async #later(number: BusinessNumber, carryOut: (code?: ErrorCode) => Result): Promise<Answer> {
    const request_id = newRequestId()
    const fault = this.#world.groupFaults.next()
    const follow = () => {
      const [field, about] = carryOut(fault?.kind === 'failed' ? codeOf(fault) : undefined)
      const told = { ...about, request_id, ...(fault?.kind === 'unknown-fields' && surprising(about)) }
      if (fault?.kind !== 'lost') this.#post(number, field, told)
    }
    const body = fault?.kind === 'unnamed' ? { ...product, success: true } : { ...product, request_id }
    if (fault?.kind !== 'before-answer') return { body, afterwards: follow }
    follow()
    await this.#callbacks.tried()
    return { body }
  }
}

function checked<T>(faultsOf: (body: unknown) => SchemaFault[], body: unknown): T {
  const [fault] = faultsOf(body)
  if (fault) throw errorFor(fault)
  return body as T
}

function checkActive({ suspended }: Group): void {
  if (suspended) throw new GraphError(131207, 'The group violates platform policies.')
}

function codeOf({ code = 131000 }: GroupFault): ErrorCode {
  if (!isErrorCode(code)) throw new Error(`the network has no error ${code}`)
  return code
}

/** Fields that no document names, and a code written as a text. */
function surprising(about: Readonly<Record<string, unknown>>): object {
  const errors = about.errors as readonly { readonly code: number }[] | undefined
  return {
    surprise: { nested: [1, { two: null }] },
    ...(errors && { errors: errors.map((one) => ({ ...one, code: String(one.code) })) }),
  }
}

/** A member: by phone, or by the user id of those who hide it. */
function named(person: Person): object {
  const phone = phoneShown(person)
  return phone === undefined ? { user_id: person.user_id } : { wa_id: phone }
}

function cursorAt(place: number): string {
  return Buffer.from(`g${place}`).toString('base64')
}

function placeIn(cursor: string | null, length: number): number {
  if (cursor === null) return 0
  const place = Number(/^g(\d+)$/.exec(Buffer.from(cursor, 'base64').toString())?.[1] ?? Number.NaN)
  if (!(place <= length)) throw new GraphError(131059, 'The cursor has expired or become corrupted.')
  return place
}
