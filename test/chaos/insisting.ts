import { setTimeout as wait } from 'node:timers/promises'
import { ProblemError } from '../../src/contract/client/client.ts'

/** Repeats a call until the store is available to the node that answers. */
export async function insisting<Result>(call: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof ProblemError) || error.problem.code !== 'store_unavailable') throw error
      await wait(200)
    }
  }
}
