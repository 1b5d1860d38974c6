import { StoreUnavailable } from './store.ts'

/** What a connection does at the edges of a transaction. */
export interface Boundary {
  begin(): Promise<void> | void
  commit(): Promise<void> | void
  /** Undoes everything. It never throws: a connection that cannot undo is given up. */
  rollback(): Promise<void> | void
  /** Executes one of the words around a savepoint. */
  word(text: string): Promise<void> | void
}

/** What a call came to: what it returned, and what is to be told once it is committed. */
export interface Performed {
  readonly value: unknown
  readonly announced: readonly string[]
}

/** What became of one call. */
export type Answer = Performed | { readonly error: Error }

/**
 * Performs calls in order under one commit. A call that throws fails alone: the group is undone and performed again with
 * a savepoint around each call. The first time goes without, because savepoints cost every call and faults are rare. A
 * lone call is tried twice too: what it collided with may have been committed by another process while it ran. Where a
 * `fence` is given it is performed before them, and none of them is kept where it throws.
 * Throws only `StoreUnavailable`, when no call can be answered.
 */
export async function commitTogether(
  boundary: Boundary,
  calls: readonly (() => Promise<Performed>)[],
  fence?: () => Promise<void>,
): Promise<Answer[]> {
  const together = await attempt(boundary, calls, (call) => call(), fence)
  if (Array.isArray(together)) return together
  const apart = await attempt(boundary, calls, (call) => performApart(boundary, call), fence)
  return Array.isArray(apart) ? apart : calls.map(() => ({ error: apart }))
}

/** How many of the answers stand for something that was committed. */
export function committed(answers: readonly Answer[]): number {
  return answers.filter((answer) => 'value' in answer).length
}

/** What those announced that were committed, each topic once. */
export function announcedBy(answers: readonly Answer[]): string[] {
  return [...new Set(answers.flatMap((answer) => ('value' in answer ? answer.announced : [])))]
}

async function attempt(
  boundary: Boundary,
  calls: readonly (() => Promise<Performed>)[],
  perform: (call: () => Promise<Performed>) => Promise<Answer>,
  fence: (() => Promise<void>) | undefined,
): Promise<Answer[] | Error> {
  await boundary.begin()
  try {
    await fence?.()
    const answers: Answer[] = []
    for (const call of calls) answers.push(await perform(call))
    await boundary.commit()
    return answers
  } catch (error) {
    await boundary.rollback()
    if (error instanceof StoreUnavailable) throw error
    return asError(error)
  }
}

async function performApart(boundary: Boundary, call: () => Promise<Performed>): Promise<Answer> {
  await boundary.word('SAVEPOINT one_call')
  try {
    const performed = await call()
    await boundary.word('RELEASE SAVEPOINT one_call')
    return performed
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error
    await boundary.word('ROLLBACK TO SAVEPOINT one_call')
    await boundary.word('RELEASE SAVEPOINT one_call')
    return { error: asError(error) }
  }
}

/** A function of the store may throw anything; what its caller sees is an error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
