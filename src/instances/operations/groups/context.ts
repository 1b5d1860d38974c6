import type { Call } from '../../../contract/handler.ts'
import type { Operation } from '../../../contract/operation.ts'
import { type InvalidValue, invalid, lackingAbility, Problem } from '../../../contract/problem.ts'
import { problems } from '../../../contract/problems.ts'
import type { Group } from '../../../contract/resources/people/group.ts'
import type { GroupAbility, MemberAction } from '../../../contract/statuses.ts'
import type { GroupFeatures } from '../../../networks/driver/abilities/groups.ts'
import type { Driver } from '../../../networks/driver/driver.ts'
import type { AccountKnown } from '../../../networks/driver/observation.ts'
import { NodeSilent } from '../../../nodes/asks.ts'
import { noteAction } from '../../../organizations/audit-log.ts'
import { isBlank } from '../../../runtime/text/blank.ts'
import { StoreUnavailable } from '../../../store/store.ts'
import type { MemberFate } from '../../groups/fit-group.ts'
import {
  type GroupAnswers,
  type GroupQuestion,
  type GroupsAnswer,
  isGroupChange,
} from '../../groups/group-asker.ts'
import { recordGroupNames } from '../../groups/group-names.ts'
import type { InstanceRow } from '../../instance.ts'
import { type InstanceOperationsContext, readInstance } from '../context.ts'

/*
 * What the operations on groups have in common: they ask the network through the connection of the instance, on whichever node that is.
 */

/** An instance whose network can do what is asked. */
export interface AskedForGroups {
  readonly id: string
  readonly epoch: number
  readonly driver: Driver
  readonly features: GroupFeatures
  /** The normalized address of its account; null as long as it is not known. */
  readonly account: string | null
}

type GroupCall = Pick<Call<Operation>, 'turn' | 'audit'> & {
  readonly caller: { readonly organizationId: string }
  readonly params: { readonly name: string }
}

/** The instance that a call names; throws a problem if its network lacks the ability. */
export async function instanceWith(
  context: InstanceOperationsContext,
  { caller, params }: Pick<GroupCall, 'caller' | 'params'>,
  ability: GroupAbility,
): Promise<AskedForGroups> {
  const { row } = await readInstance(context, caller.organizationId, params.name)
  const driver = context.networks.get(row.network)
  const { groups: features } = driver ?? {}
  if (!driver || !features) throw lackingAbility(ability, 'groups')
  needsAbility({ features }, ability)
  if (row.wanted === 'removed') throw new Problem('instance_deleting')
  return { id: row.id, epoch: row.epoch, driver, features, account: accountIn(row, driver) }
}

function accountIn({ account }: InstanceRow, driver: Driver): string | null {
  if (account === null) return null
  const parsed = driver.parseAddress((JSON.parse(account) as AccountKnown).address)
  return parsed.ok ? parsed.address : null
}

/** Throws a problem if the network lacks the ability. */
export function needsAbility({ features }: Pick<AskedForGroups, 'features'>, ability: GroupAbility): void {
  if (!features.abilities.includes(ability)) throw lackingAbility(ability, 'groups')
}

/** The normalized address of a group in the path; throws a problem if it is that of no group. */
export function groupAt({ driver }: AskedForGroups, input: string): string {
  const parsed = driver.parseAddress(input)
  if (!parsed.ok || driver.isGroup?.(parsed.address) !== true) throw new Problem('group_not_found')
  return parsed.address
}

/** Throws a problem if a subject is longer than the network allows, or says nothing. */
export function checkSubject({ features }: AskedForGroups, subject: string): void {
  const { maxSubject } = features
  if (isBlank(subject)) {
    const detail = 'Nothing of the subject can be seen. Give the group a name that people can see.'
    throw invalid({ pointer: '/subject', code: 'wrong_form', detail })
  }
  if (subject.length <= maxSubject) return
  const detail = `The network allows ${maxSubject} UTF-16 code units. Choose a shorter subject.`
  throw invalid({ pointer: '/subject', code: 'too_long', detail })
}

/** Throws a problem if the network cannot describe groups, or only in fewer words. */
export function checkDescription({ features }: AskedForGroups, description: string | undefined): void {
  if (description === undefined) return
  needsAbility({ features }, 'describe')
  const { maxDescription = 0 } = features
  if (description.length <= maxDescription) return
  const detail = `The network allows ${maxDescription} UTF-16 code units. Shorten the description.`
  throw invalid({ pointer: '/description', code: 'too_long', detail })
}

/** The normalized addresses of people; throws a problem that names each that cannot be meant. */
export function peopleIn(
  { driver, account }: AskedForGroups,
  inputs: readonly string[],
  action: MemberAction | 'create' | 'decide',
): string[] {
  const field = action === 'decide' ? 'people' : 'members'
  const faults: InvalidValue[] = []
  const addresses = inputs.map((input, at) => {
    const parsed = driver.parseAddress(input)
    const isAccount = parsed.ok && parsed.address === account
    const own = isAccount ? ofAccount[action] : null
    const detail = parsed.ok ? (driver.isGroup?.(parsed.address) ? aGroup : own) : parsed.detail
    if (detail !== null) faults.push({ pointer: `/${field}/${at}`, code: 'recipient_invalid', detail })
    return parsed.ok ? parsed.address : ''
  })
  if (faults.length > 0) throw invalid(...faults)
  return addresses
}

const aGroup = 'This is the address of a group. Members are people.'

/** Says why the account itself is not meant; null where the network knows better. */
const ofAccount: Readonly<Record<MemberAction | 'create' | 'decide', string | null>> = {
  create:
    'This is the account itself, which is a member of each group that it creates. Leave its address out.',
  add: 'This is the account itself, which adds others to groups that it is in. Leave its address out.',
  remove: 'This is the account itself, which is not removed but leaves: use `POST …/leave`.',
  promote: 'This is the account itself, which cannot give itself rights. Another administrator can.',
  demote: null,
  decide: null,
}

/** The fate of each person as a request named them. */
export function resultsOf(
  inputs: readonly string[],
  addresses: readonly string[],
  fates: readonly MemberFate[],
): (MemberFate & { readonly input: string })[] {
  const found = new Map(fates.map((fate) => [fate.address, fate]))
  return inputs.map((input, at) => {
    const address = addresses[at] ?? input
    return { input, ...(found.get(address) ?? { address, result: 'unknown' as const, error: null }) }
  })
}

/** Asks the network; throws the problem of an answer that is none. */
export async function askAboutGroups<D extends keyof GroupAnswers>(
  { supervisor }: Pick<InstanceOperationsContext, 'supervisor'>,
  { id, epoch, features }: AskedForGroups,
  question: Extract<GroupQuestion, { do: D }>,
  signal?: AbortSignal,
): Promise<GroupAnswers[D]> {
  const isChange = isGroupChange(question)
  const { pace } = features
  const asking = supervisor.ask(id, 'ask-groups', { pace, epoch, question }, isChange ? undefined : signal)
  const answer = await asking.catch((error: unknown) => {
    // The order may have reached the node of the instance.
    const mayBeDone = error instanceof NodeSilent ? error.mayBeDone : error instanceof StoreUnavailable
    if (isChange && mayBeDone) throw new Problem('outcome_unknown', { cause: error })
    throw error
  })
  return valueIn(
    answer ?? { kind: 'unanswered', detail: 'The connection is not open.', mayBeDone: false },
    isChange,
  ) as GroupAnswers[D]
}

function valueIn(answer: GroupsAnswer, isChange: boolean): GroupAnswers[keyof GroupAnswers] {
  switch (answer.kind) {
    case 'done':
      return answer.value
    case 'no-group':
      throw new Problem('group_not_found')
    case 'rejected':
      throw new Problem('network_refused', { detail: answer.error.detail })
    case 'busy':
      throw new Problem('group_requests_waiting', { headers: { 'retry-after': '5' } })
    case 'paced':
      throw new Problem('too_many_group_changes', { headers: { 'retry-after': String(answer.seconds) } })
    case 'unanswered': {
      const code = isChange && answer.mayBeDone ? 'outcome_unknown' : 'instance_not_connected'
      throw new Problem(code, { detail: `${answer.detail} ${problems[code].explanation}` })
    }
  }
}

/** Has a change noted in the audit log: the network carries it out, not a transaction, so it is noted before. */
export async function noteChange(
  { store }: Pick<InstanceOperationsContext, 'store'>,
  { audit, turn }: Pick<GroupCall, 'audit' | 'turn'>,
): Promise<void> {
  await store.transact(noteAction, { note: audit() }, turn)
}

/** Keeps the subjects of groups as the names of their conversations. Without them, the response is the same. */
export async function keepNames(
  { store, clock, log, incomingCapacity }: InstanceOperationsContext,
  { id }: AskedForGroups,
  groups: readonly Pick<Group, 'address' | 'subject'>[],
  { turn }: Pick<GroupCall, 'turn'>,
): Promise<void> {
  const named = groups.flatMap(({ address, subject }) => (subject === null ? [] : [{ address, subject }]))
  if (named.length === 0) return
  const args = { instanceId: id, groups: named, limit: incomingCapacity.limit, now: clock.now() }
  await store.transact(recordGroupNames, args, turn).catch((error: unknown) => {
    log.warn({ err: error, instance_id: id }, 'could not keep the subjects of groups')
  })
}

/** A group without its members. */
export function withoutMembers({
  address,
  subject,
  description,
  size,
  role,
  approval,
  created_at,
}: Group): Group {
  return { address, subject, description, size, role, approval, created_at }
}
