import { handler } from '../../../contract/handler.ts'
import { createGroup as operation } from '../../../contract/operations/conversations/group-operations.ts'
import { Problem } from '../../../contract/problem.ts'
import { problems } from '../../../contract/problems.ts'
import type { Group } from '../../../contract/resources/people/group.ts'
import {
  createdAt,
  type IdempotencyScope,
  idempotencyMismatch,
  idempotencyScope,
} from '../../../organizations/idempotency.ts'
import type { Turn } from '../../../store/store.ts'
import { beginCreation, type CreationEnd, endCreation } from '../../groups/creation-store.ts'
import type { InstanceOperationsContext } from '../context.ts'
import {
  type AskedForGroups,
  askAboutGroups,
  checkDescription,
  checkSubject,
  instanceWith,
  keepNames,
  needsAbility,
  peopleIn,
  withoutMembers,
} from './context.ts'

export const createGroup = (context: InstanceOperationsContext) =>
  handler(operation, async (call) => {
    const { store, clock } = context
    const { turn, params } = call
    const scope = idempotencyScope(call, operation)
    const instance = await instanceWith(context, call, 'create')
    const { subject, description, approval } = call.body
    checkSubject(instance, subject)
    checkDescription(instance, description)
    if (approval) needsAbility(instance, 'approval')
    if (call.body.members.length > 0) needsAbility(instance, 'add')
    const members = [...new Set(peopleIn(instance, call.body.members, 'create'))]
    const begun = await store.transact(beginCreation, { scope, audit: call.audit(), now: clock.now() }, turn)
    switch (begun.kind) {
      case 'mismatch':
        throw idempotencyMismatch()
      case 'in-progress':
        throw new Problem('idempotency_in_progress', { headers: { 'retry-after': '5' } })
      case 'unknown':
        throw unknownCreation()
      case 'replay': {
        const { body, location } = begun.reply
        return { status: 201, body: JSON.parse(body) as Group, headers: createdAt(location ?? '', true) }
      }
    }
    const question = { do: 'create', subject, description, approval, members } as const
    const made = await askAboutGroups(context, instance, question).catch(async (error: unknown) => {
      await end(context, { scope, turn, instance }, endOf(error))
      throw scope && error instanceof Problem && error.code === 'outcome_unknown'
        ? unknownCreation(error)
        : error
    })
    const group = withoutMembers(made)
    const location = `/v1/instances/${params.name}/groups/${encodeURIComponent(group.address)}`
    await end(context, { scope, turn, instance }, { status: 201, location, body: JSON.stringify(group) })
    await keepNames(context, instance, [group], call)
    return { status: 201, body: group, headers: createdAt(location, false) }
  })

/** Of a creation with an `Idempotency-Key`: only another key makes a group once its outcome is not known. */
const unknownCreation = (cause?: Problem) =>
  new Problem('outcome_unknown', {
    cause,
    detail: `${cause?.message ?? problems.outcome_unknown.explanation} With the same \`Idempotency-Key\` nothing is done, and the response is this one again: use another key then.`,
  })

function endOf(error: unknown): CreationEnd {
  const isCertain = error instanceof Problem && error.code !== 'outcome_unknown' && error.status < 500
  const isNotAsked = error instanceof Problem && error.code === 'instance_not_connected'
  return isCertain || isNotAsked ? 'not-done' : 'unknown'
}

interface Creation {
  readonly scope: IdempotencyScope | undefined
  readonly turn: Turn
  readonly instance: AskedForGroups
}

/** Keeps what became of a creation for repetitions. If it cannot be kept, they are told that nothing is known. */
async function end(
  { store, log }: InstanceOperationsContext,
  { scope, turn, instance }: Creation,
  end: CreationEnd,
): Promise<void> {
  // Its caller may have gone.
  const lasting = { party: turn.party }
  if (scope)
    await store.transact(endCreation, { scope, end }, lasting).catch((error: unknown) => {
      log.error(
        { err: error, instance_id: instance.id },
        'could not keep what became of the creation of a group',
      )
    })
}
