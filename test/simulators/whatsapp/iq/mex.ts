import { children, node, text } from '../wire/node.ts'
import type { Answer, Question } from './question.ts'

/** Names of the queries that the server knows, by id (baileys/lib/Types/Mex.js). */
const queries: Readonly<Record<string, string>> = {
  '23983697327930364': 'xwa2_fetch_account_reachout_timelock',
  '24503548349331633': 'xwa2_message_capping_info',
}

/** Answers whether the account may write to new people, and how often. */
export function answerMex({ whatsapp, connection, iq }: Question): Answer | undefined {
  const { account } = connection
  const [query] = children(iq, 'query')
  const name = queries[query?.attrs.query_id ?? '']
  if (!account || !query || name === undefined) return undefined
  const data = name.endsWith('timelock') ? timelock(account.traits.lockedUntil) : whatsapp.settings.capping
  if (text(query) !== '') JSON.parse(text(query))
  return [node('result', {}, JSON.stringify({ data: { [name]: data } }))]
}

/** The lock as the server words it; `until` in milliseconds since 1970. */
export function timelock(until: number) {
  if (until <= Date.now())
    return { is_active: false, time_enforcement_ends: '0', enforcement_type: 'DEFAULT' }
  const ends = String(Math.floor(until / 1000))
  return { is_active: true, time_enforcement_ends: ends, enforcement_type: 'RESTRICT_ALL_COMPANIONS' }
}
