import assert from 'node:assert/strict'
import { ProblemError } from '../../../src/contract/client/client.ts'

/** The problem that a call ends with. */
export async function problemOf(call: Promise<unknown>): Promise<ProblemError> {
  const error = await call.then(
    () => assert.fail('it was not refused'),
    (error: unknown) => error,
  )
  return error instanceof ProblemError ? error : assert.fail(String(error))
}
