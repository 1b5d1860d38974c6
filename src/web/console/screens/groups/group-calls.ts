import type { JoinDecision, MemberAction } from '../../../../contract/statuses.ts'
import { RefusedError } from '../../../browser/refused.ts'
import { call } from '../../core/api.ts'
import type { Answer } from '../../core/operations.ts'
import { say } from '../../words/say.ts'
import { errorText } from '../../words/server-texts.ts'

export type ShownGroup = Answer<'getGroup'>
type MemberResult = Answer<'changeGroupMembers'>['data'][number]

interface Change<Action> {
  readonly instance: string
  readonly address: string
  readonly action: Action
  readonly members: readonly string[]
}

/** Changes members of a group. Returns what was not done, in words. */
export async function changeMembers({
  instance,
  address,
  action,
  members,
}: Change<MemberAction>): Promise<readonly string[]> {
  const { data } = await call('changeGroupMembers', {
    params: { name: instance, address },
    body: { action, members: [...members] },
  })
  return failuresIn(data)
}

/** Lets people join a group who asked, or declines. Returns what was not done, in words. */
export async function decideRequest(change: Change<JoinDecision>): Promise<readonly string[]> {
  const { instance, address, action, members } = change
  const { data } = await call('decideJoinRequests', {
    params: { name: instance, address },
    body: { action, people: [...members] },
  })
  return failuresIn(data)
}

const failuresIn = (results: readonly MemberResult[]) =>
  results.flatMap((result) => (result.result === 'done' ? [] : wordsOf(result)))

function wordsOf({ input, error }: MemberResult): string {
  return error ? `${input}: ${errorText(error)}` : say('groups.not_known', { name: input })
}

/** Returns true if the network did not say if something was done. */
export function isUnknown(error: unknown): boolean {
  return error instanceof RefusedError && error.code === 'outcome_unknown'
}
