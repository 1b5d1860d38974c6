import type { Performed, StoreSession } from './session.ts'
import { StoreUnavailable, sentTogether, type Transaction, type TransactionFunction } from './store.ts'

/** Actions of a connection at the edges of a transaction. */
export interface Boundary {
  begin(): Promise<void> | void
  commit(): Promise<void> | void
  /** Undoes everything. It never throws: a connection that cannot undo is given up. */
  rollback(): Promise<void> | void
  /** Executes one of the words around a savepoint. */
  word(text: string): Promise<void> | void
}

/** The result of one call, and how many milliseconds it took. */
export type CallResult = (Performed | { readonly error: Error }) & { readonly cost: number }

/** Milliseconds that the calls under one commit run: all other calls wait meanwhile. */
export const groupBudget = 20

/** A call of a transaction. */
export interface StoreCall {
  readonly transaction: TransactionFunction<unknown, unknown>
  readonly args: unknown
}

/**
 * Performs calls under one commit, in their order. A transaction that performs all its calls of one moment together, and keeps no
 * order among others, performs them in the place of the first. When `groupBudget` is spent, what has not begun is left, with null
 * for an answer; the first call always begins. A call that throws fails alone: the group is undone and performed again, each call
 * for itself and with a savepoint around it. The first time goes without, because savepoints cost every call and faults are rare.
 * A lone call is tried twice too: what it collided with may have been committed by another process while it ran. If there is an
 * `opening`, it is sent ahead of them, and none of them is committed if it throws. Throws only `StoreUnavailable`, when no call
 * can be answered.
 */
export async function commitTogether(
  boundary: Boundary,
  session: StoreSession,
  calls: readonly StoreCall[],
  opening?: (tx: Transaction) => Promise<void>,
): Promise<(CallResult | null)[]> {
  const opened = async (perform: () => Promise<(CallResult | null)[]>) => {
    // Nothing is committed before it has passed; so it need not be waited for earlier.
    const passing = opening?.(session)
    passing?.catch(() => {})
    const answers = await perform().catch(async (error) => {
      // Behind an opening that failed, every statement fails, and says only that.
      await passing
      throw error
    })
    // If the connection is lost during COMMIT, what touches the same waits for this group by its locks, or by what it has written.
    await (passing ?? session.sentArrived())
    return answers
  }
  const together = await attempt(boundary, session, () => opened(() => performTogether(session, calls)))
  if (Array.isArray(together)) return together
  const apart = await attempt(boundary, session, () => opened(() => performApart(boundary, session, calls)))
  return Array.isArray(apart) ? apart : calls.map(() => ({ error: apart, cost: 0 }))
}

/** The result of a group: an answer for each call, null if it was not begun, how many were committed, and what they announced. */
export interface GroupResult {
  readonly answers: readonly (CallResult | null)[]
  readonly committed: number
  /** Each topic once. */
  readonly announced: readonly string[]
}

/** Performs a group of transactions. If no call can be answered, all have the same error. */
export async function groupResult(
  size: number,
  perform: () => Promise<readonly (CallResult | null)[]>,
): Promise<GroupResult> {
  try {
    const answers = await perform()
    const done = answers.flatMap((answer) => (answer && 'value' in answer ? [answer] : []))
    const announced = [...new Set(done.flatMap(({ announced: topics }) => topics))]
    return { answers, committed: done.length, announced }
  } catch (error) {
    const failed = { error: asError(error), cost: 0 }
    return { answers: Array.from({ length: size }, () => failed), committed: 0, announced: [] }
  }
}

/** Runs work and measures it, in milliseconds. */
async function timed<R>(work: () => Promise<R>): Promise<readonly [R, cost: number]> {
  const begun = performance.now()
  const result = await work()
  return [result, performance.now() - begun]
}

/** Performs calls one by one until their time is over; `perform` may answer several at once. */
async function untilSpent(
  calls: readonly StoreCall[],
  perform: (call: StoreCall, index: number, answers: (CallResult | null)[]) => Promise<void>,
): Promise<(CallResult | null)[]> {
  const end = performance.now() + groupBudget
  const answers: (CallResult | null)[] = calls.map(() => null)
  for (const [index, call] of calls.entries()) {
    if (answers[index]) continue
    if (index > 0 && performance.now() >= end) break
    await perform(call, index, answers)
  }
  return answers
}

async function attempt<R>(
  boundary: Boundary,
  session: StoreSession,
  perform: () => Promise<R>,
): Promise<R | Error> {
  await boundary.begin()
  try {
    const answers = await perform()
    // Behind a statement that failed nothing is committed, so COMMIT need not wait for the last ones.
    await sentTogether([session.sentArrived(), Promise.resolve(boundary.commit())])
    return answers
  } catch (error) {
    await session.sentArrived().catch(() => {})
    await boundary.rollback()
    if (error instanceof StoreUnavailable) throw error
    return asError(error)
  }
}

function performTogether(session: StoreSession, calls: readonly StoreCall[]): Promise<(CallResult | null)[]> {
  const sets = Map.groupBy(calls.keys(), (index) => (calls[index] as StoreCall).transaction)
  return untilSpent(calls, async ({ transaction, args }, index, answers) => {
    const { run, runTogether, keepsOrder, weigh } = transaction
    if (!runTogether) {
      const [performed, cost] = await timed(() => session.transact(run, args))
      answers[index] = { ...performed, cost }
      return
    }
    const same = keepsOrder ? withoutOthersBetween(calls, index) : (sets.get(transaction) ?? [])
    const all = same.map((one) => (calls[one] as StoreCall).args)
    const weights = all.map((one) => weigh?.(one) ?? 1)
    const sum = weights.reduce((total, weight) => total + weight, 0)
    const [{ value, announced }, cost] = await timed(() => session.transact(runTogether, all))
    for (const [order, one] of same.entries()) {
      const share = (cost * (weights[order] as number)) / sum
      answers[one] = { value: (value as unknown[])[order], announced, cost: share }
    }
  })
}

/** The calls of its transaction from this one on, up to the first of another transaction that must not come later than they do. */
function withoutOthersBetween(calls: readonly StoreCall[], from: number): number[] {
  const { transaction } = calls[from] as StoreCall
  const same: number[] = []
  for (let index = from; index < calls.length; index++) {
    const other = (calls[index] as StoreCall).transaction
    if (other === transaction) same.push(index)
    else if (!other.runTogether || other.keepsOrder) break
  }
  return same
}

function performApart(
  boundary: Boundary,
  session: StoreSession,
  calls: readonly StoreCall[],
): Promise<(CallResult | null)[]> {
  return untilSpent(calls, async ({ transaction, args }, index, answers) => {
    await boundary.word('SAVEPOINT one_call')
    const alone = async () => {
      const performed = await session.transact(transaction.run, args).catch(asFault)
      return await session.sentArrived().then(() => performed, asFault)
    }
    const [performed, cost] = await timed(alone)
    if ('error' in performed) await boundary.word('ROLLBACK TO SAVEPOINT one_call')
    answers[index] = { ...performed, cost }
    await boundary.word('RELEASE SAVEPOINT one_call')
  })
}

/** The answer to a call that failed; a store that is unavailable fails the others, too. */
function asFault(thrown: unknown): { readonly error: Error } {
  if (thrown instanceof StoreUnavailable) throw thrown
  return { error: asError(thrown) }
}

/** A function of the store may throw anything; what its caller sees is an error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
