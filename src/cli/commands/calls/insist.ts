import { setTimeout as wait } from 'node:timers/promises'
import { ProblemError } from '../../../contract/client/client.ts'
import type { Message } from '../../../contract/resources/message.ts'
import { Refusal } from '../../command.ts'
import { explain, print, printJson } from '../../output.ts'

/** Seconds for which a command waits until its message was sent. */
export const secondsToWait = 20
/** Milliseconds before a request that was not answered is repeated. */
const pauses = [500, 2_000]

/** Repeats a call that was not answered; one that was refused is not repeated. */
export async function insist<Result>(call: () => Promise<Result>): Promise<Result> {
  for (const pause of pauses) {
    try {
      return await call()
    } catch (error) {
      if (error instanceof ProblemError && !error.problem.retryable) throw new Refusal(error.message)
      await wait(pause)
    }
  }
  return call()
}

/** Says how far a message has got, and why it failed. */
export function reportMessage(message: Message, asJson: boolean | undefined): void {
  if (asJson) printJson(message)
  else print(`${message.id} ${message.status}`)
  if (message.error) explain(`${message.error.code}: ${message.error.detail}`)
  if (message.status === 'failed') process.exitCode = 1
}
