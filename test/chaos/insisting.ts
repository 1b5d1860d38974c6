import { setTimeout as wait } from 'node:timers/promises'
import { ProblemError } from '../../src/contract/client/client.ts'

/** Milliseconds after which a failure counts. */
const insistsFor = 180_000

/** Repeats a call until the node that answers has its store and the connection lasts, for some time. */
export async function insisting<Result>(call: () => Promise<Result>): Promise<Result> {
  const begun = performance.now()
  for (;;) {
    try {
      return await call()
    } catch (error) {
      const isForNow = error instanceof ProblemError && error.problem.code === 'store_unavailable'
      const isCut = error instanceof TypeError && error.message === 'fetch failed'
      if ((!isForNow && !isCut) || performance.now() - begun > insistsFor) throw error
      await wait(200)
    }
  }
}
