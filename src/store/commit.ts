import type { Performed, Session } from './session.ts'
import { StoreUnavailable, type Transaction, type TransactionFunction } from './store.ts'

/** What a connection does at the edges of a transaction. */
export interface Boundary {
  begin(): Promise<void> | void
  commit(): Promise<void> | void
  /** Undoes everything. It never throws: a connection that cannot undo is given up. */
  rollback(): Promise<void> | void
  /** Executes one of the words around a savepoint. */
  word(text: string): Promise<void> | void
}

/** The result of one call. */
export type Answer = Performed | { readonly error: Error }

/** A call of a transaction. */
export interface Call {
  readonly transaction: TransactionFunction<unknown, unknown>
  readonly args: unknown
}

/**
 * Performs calls under one commit, in their order, but for those of a transaction that performs all its calls of one moment
 * together: they come with the first of them. A call that throws fails alone: the group is undone and performed again, each
 * call for itself and with a savepoint around it. The first time goes without, because savepoints cost every call and faults
 * are rare. A lone call is tried twice too: what it collided with may have been committed by another process while it ran. If
 * there is a `fence`, it is performed before them, and none of them is committed if it throws. Throws only
 * `StoreUnavailable`, when no call can be answered.
 */
export async function commitTogether(
  boundary: Boundary,
  session: Session,
  calls: readonly Call[],
  fence?: (tx: Transaction) => Promise<void>,
): Promise<Answer[]> {
  const fenced = async (perform: () => Promise<Answer[]>) => {
    if (fence) await session.perform(fence, undefined)
    return perform()
  }
  const together = await attempt(boundary, () => fenced(() => performTogether(session, calls)))
  if (Array.isArray(together)) return together
  const apart = await attempt(boundary, () => fenced(() => performApart(boundary, session, calls)))
  return Array.isArray(apart) ? apart : calls.map(() => ({ error: apart }))
}

/** How many of the answers belong to committed calls. */
export function committed(answers: readonly Answer[]): number {
  return answers.filter((answer) => 'value' in answer).length
}

/** What the committed calls announced, each topic once. */
export function announcedBy(answers: readonly Answer[]): string[] {
  return [...new Set(answers.flatMap((answer) => ('value' in answer ? answer.announced : [])))]
}

async function attempt(boundary: Boundary, perform: () => Promise<Answer[]>): Promise<Answer[] | Error> {
  await boundary.begin()
  try {
    const answers = await perform()
    await boundary.commit()
    return answers
  } catch (error) {
    await boundary.rollback()
    if (error instanceof StoreUnavailable) throw error
    return asError(error)
  }
}

async function performTogether(session: Session, calls: readonly Call[]): Promise<Answer[]> {
  const sets = Map.groupBy(calls.keys(), (index) => (calls[index] as Call).transaction)
  const answers: Answer[] = new Array(calls.length)
  for (const [index, { transaction, args }] of calls.entries()) {
    if (answers[index]) continue
    if (!transaction.runTogether) {
      answers[index] = await session.transact(transaction.run, args)
      continue
    }
    const same = sets.get(transaction) ?? []
    const all = same.map((one) => (calls[one] as Call).args)
    const { value, announced } = await session.transact(transaction.runTogether, all)
    const values = value as unknown[]
    for (const [order, one] of same.entries()) answers[one] = { value: values[order], announced }
  }
  return answers
}

async function performApart(boundary: Boundary, session: Session, calls: readonly Call[]): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const { transaction, args } of calls) {
    await boundary.word('SAVEPOINT one_call')
    try {
      answers.push(await session.transact(transaction.run, args))
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error
      await boundary.word('ROLLBACK TO SAVEPOINT one_call')
      answers.push({ error: asError(error) })
    }
    await boundary.word('RELEASE SAVEPOINT one_call')
  }
  return answers
}

/** A function of the store may throw anything; what its caller sees is an error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
