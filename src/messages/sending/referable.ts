import { Problem } from '../../contract/problem.ts'
import { isSettled } from '../life.ts'
import { findRetraction } from '../list/find-retraction.ts'
import type { FoundTarget } from './find-target.ts'

/*
 * Which messages others can change, react to, or reply to.
 */

export const isRelation = ({ kind }: FoundTarget) => kind === 'reaction' || kind === 'retraction'

export function notEditable(detail: string): Problem {
  return new Problem('message_not_editable', { detail })
}

/** Throws the problem of a message that was retracted, or of which a retraction is on its way. */
export async function mustNotBeRetracted(...asked: Parameters<typeof findRetraction>): Promise<void> {
  const retraction = await findRetraction(...asked)
  if (retraction === null) return
  throw notEditable(
    isSettled(retraction.status)
      ? 'It was retracted; whether its recipient had read it before is not certain. Send a new message.'
      : `Its retraction ${retraction.id} is on its way, so it may soon be retracted. Cancel that one if you still want to change the message.`,
  )
}
