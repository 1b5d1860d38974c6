import type { MemberResults } from '../../driver/abilities/groups.ts'
import { eachObjectIn, integerIn, type Json, textIn } from '../../kit/json.ts'
import { errorOf } from '../errors.ts'
import { groupError } from './group-faults.ts'

/**
 * The fate of each person whose request was answered (Groups API, Approve and Reject join requests): Meta lists the ids of those that are done,
 * and those that failed with their errors.
 */
export function requestFates(
  people: readonly string[],
  ids: ReadonlyMap<string, string>,
  json: Json,
): MemberResults {
  const done = new Set(
    ['approved_join_requests', 'rejected_join_requests'].flatMap((name) => textsIn(json, name)),
  )
  const failed = new Map(
    [...eachObjectIn(json, 'failed_join_requests').take(people.length)].map((request) => {
      const [error] = eachObjectIn(request, 'errors').take(1)
      return [textIn(request, 'join_request_id'), error ? integerIn(error, 'code') : null]
    }),
  )
  return people.flatMap((address): MemberResults => {
    const id = ids.get(address)
    if (id === undefined) return [{ address, error: errorOf('join_request_missing', true) }]
    if (done.has(id)) return [{ address, error: null }]
    const code = failed.get(id)
    return code === undefined ? [] : [{ address, error: groupError(code) }]
  })
}

function textsIn(json: Json, name: string): string[] {
  const all = json[name]
  return Array.isArray(all) ? all.filter((one) => typeof one === 'string').slice(0, 50) : []
}
