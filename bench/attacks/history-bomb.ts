import type { Control } from '../../test/simulators/whatsapp/start-whatsapp.ts'

/** Size of each of them unfolded, in bytes; it is sent as a hundred kilobytes. */
const unfolded = 100 * 2 ** 20

export interface Bombing {
  /** Number that the client of the account has taken. */
  readonly taken: number
  /** Resolves when the last one is taken, or never will be. */
  stop(): Promise<void>
}

/** The phone of an account hands its client one history of empty conversations after the other, each as soon as the one before is taken. */
export function throwHistories(control: Control, person: string): Bombing {
  let taken = 0
  let isOver = false
  const stopped = Promise.withResolvers<void>()
  const throwing = (async () => {
    while (!isOver) {
      const id = await control.throwHistory({ person, bytes: unfolded })
      await Promise.race([control.settled({ id, type: 'ack' }), stopped.promise])
      if (!isOver) taken += 1
    }
  })()
  return {
    get taken() {
      return taken
    },
    async stop() {
      isOver = true
      stopped.resolve()
      await throwing
    },
  }
}
