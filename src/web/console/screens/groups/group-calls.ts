import { RefusedError } from '../../../browser/refused.ts'
import { call } from '../../core/api.ts'
import type { Answer } from '../../core/operations.ts'
import { say } from '../../words/say.ts'
import { errorText } from '../../words/server-texts.ts'

export type ShownGroup = Answer<'getGroup'>
type Change = 'add' | 'remove' | 'promote' | 'demote'
type MemberResult = Answer<'changeGroupMembers'>['data'][number]

interface MemberChange {
  readonly instance: string
  readonly address: string
  readonly action: Change
  readonly members: readonly string[]
}

/** Changes members of a group. Returns what was not done, in words. */
export async function changeMembers({
  instance,
  address,
  action,
  members,
}: MemberChange): Promise<readonly string[]> {
  const { data } = await call('changeGroupMembers', {
    params: { name: instance, address },
    body: { action, members: [...members] },
  })
  return data.flatMap((result) => (result.result === 'done' ? [] : wordsOf(result)))
}

function wordsOf({ input, error }: MemberResult): string {
  return error ? `${input}: ${errorText(error)}` : say('groups.not_known', { name: input })
}

/** Returns true if the network did not say if something was done. */
export function isUnknown(error: unknown): boolean {
  return error instanceof RefusedError && error.code === 'outcome_unknown'
}
