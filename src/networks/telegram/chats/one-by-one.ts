import type { GroupAnswer, MemberResults } from '../../driver/abilities/groups.ts'
import type { NetworkError } from '../../driver/outcome.ts'
import { errorOf } from '../errors.ts'
import type { ChatAnswer } from './chat-questions.ts'

/** Has Telegram do something to people one after the other, so that it is not asked for much at once. */
export async function oneByOne(
  people: readonly string[],
  ask: (person: string) => Promise<ChatAnswer>,
): Promise<GroupAnswer<MemberResults>> {
  const results: { address: string; error: NetworkError | null }[] = []
  let stopped: NetworkError | null = null
  for (const [index, address] of people.entries()) {
    if (stopped) {
      results.push({ address, error: stopped })
      continue
    }
    const isPerson = Number(address) > 0
    const answer: ChatAnswer = isPerson
      ? await ask(address)
      : { kind: 'rejected', error: errorOf('member_unknown', true) }
    if (answer.kind === 'unanswered' && index === 0 && !answer.mayBeDone) return answer
    // The fate of this one is not known, and the others are not asked for.
    if (answer.kind === 'unanswered') stopped = errorOf('network_unreachable', false)
    else results.push({ address, error: answer.kind === 'done' ? null : answer.error })
    if (answer.kind === 'rejected' && !answer.error.permanent) stopped = answer.error
  }
  return { kind: 'done', value: results }
}
