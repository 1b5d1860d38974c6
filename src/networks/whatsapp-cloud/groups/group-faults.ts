import type { GroupAnswer } from '../../driver/abilities/groups.ts'
import type { NetworkError } from '../../driver/outcome.ts'
import type { ErrorCode } from '../codes.ts'
import { errorOf, type Unanswered } from '../errors.ts'
import type { GraphRefusal } from '../graph/graph-api.ts'
import { meaningOf } from '../graph/graph-codes.ts'

/** Anything but the value that was asked for. */
export type NoGroupValue = Exclude<GroupAnswer<never>, { readonly kind: 'done' }>

/** Source: Groups API, Error codes (October 2025). */
const codes: ReadonlyMap<number, ErrorCode> = new Map([
  [131059, 'group_place_expired'],
  [131204, 'group_full'],
  [131207, 'group_suspended'],
  [131208, 'group_changes_limited'],
  [131211, 'group_limit_reached'],
  [131212, 'group_member_missing'],
  [131214, 'group_creation_paused'],
  [131215, 'groups_not_available'],
])

/** "The group was not found, either because it doesn't exist or you are not a member." */
const unknownGroup = 131041
/** "Something went wrong": of a message it says that it was not taken, of an order about a group it says nothing. */
const somethingWrong = 131000

/** The error of an order that Meta refused with this code, now or later. */
export function groupError(code: number | null): NetworkError {
  const known = code === null ? undefined : codes.get(code)
  if (known) return errorOf(known, known !== 'group_changes_limited', String(code))
  const error = errorOf('group_change_refused', true, code === null ? undefined : String(code))
  return code === null ? error : { ...error, detail: `${error.detail} Meta's code is \`${code}\`.` }
}

export function refusedWith(code: number | null): NoGroupValue {
  return code === unknownGroup ? { kind: 'no-group' } : { kind: 'rejected', error: groupError(code) }
}

/** The kind of a request: if it changes anything, and if it is about a group or about the number. */
export interface AskedOfGroups {
  readonly isChange: boolean
  readonly isOfGroup: boolean
}

/** The answer for callers if Meta did not answer what was asked. */
export function groupAnswerOf(answer: Unanswered, { isChange, isOfGroup }: AskedOfGroups): NoGroupValue {
  switch (answer.kind) {
    case 'refused':
      if (isOfGroup && isUnknown(answer)) return { kind: 'no-group' }
      return refused(answer, isChange)
    case 'unusable': {
      // A redirect or a refusal of the request itself comes from something in front of the API.
      const isCertain = answer.status >= 300 && answer.status < 500 && answer.status !== 408
      const detail = 'A server other than the Cloud API responded, or it failed.'
      return { kind: 'unanswered', detail, mayBeDone: isChange && !isCertain }
    }
    case 'failed': {
      const isCertain = answer.phase === 'before-sending'
      const detail = isCertain
        ? 'The Cloud API could not be reached.'
        : 'The connection to the Cloud API ended before its answer came.'
      return { kind: 'unanswered', detail, mayBeDone: isChange && !isCertain }
    }
  }
}

/** A group that was deleted is an object that the Graph API does not have. */
function isUnknown({ code, subcode, isTransient }: GraphRefusal): boolean {
  return (
    !isTransient && (code === unknownGroup || code === 33 || code === 803 || (code === 100 && subcode === 33))
  )
}

function refused(refusal: GraphRefusal, isChange: boolean): NoGroupValue {
  const { code } = refusal
  if (codes.has(code)) return { kind: 'rejected', error: groupError(code) }
  const { effect } = meaningOf(refusal)
  if (effect === 'uncertain' || code === somethingWrong)
    return {
      kind: 'unanswered',
      detail: 'The Cloud API failed, and did not say whether it did what was asked.',
      mayBeDone: isChange,
    }
  if (typeof effect === 'object')
    return { kind: 'rejected', error: errorOf('groups_refused', true, String(code)) }
  if (effect !== 'permanent' && effect !== 'once')
    return { kind: 'rejected', error: errorOf('group_changes_limited', false, String(code)) }
  return { kind: 'rejected', error: groupError(code) }
}

/** True if an answer is about the token or the account rather than about groups: the API itself says more about that. */
export function isAboutAccount(answer: NoGroupValue): boolean {
  return answer.kind === 'rejected' && answer.error.code === 'groups_refused'
}
