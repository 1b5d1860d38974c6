import { statSync } from 'node:fs'
import { systemClock } from '../runtime/clock.ts'
import { positionFile } from '../store/recorded-position.ts'
import type { BackgroundWorkers } from './app-context.ts'
import type { House } from './housekeeping.ts'
import {
  type BroughtBack,
  bringBackAttempts,
  bringBackDeliveries,
  bringBackFacts,
  bringBackFiles,
  bringBackMessages,
} from './set-back-times.ts'

/** Milliseconds until the next part, and until a failed part is tried again. */
const restBetween = 10
const retryAfter = 1_000

/**
 * Returns the milliseconds by which the wall clock was set back while no server ran, as far as can be told: the last server
 * wrote to its data folder at a time that is still to come.
 */
export function setBackWhileStopped(folder: string): number {
  const written = statSync(positionFile(folder), { throwIfNoEntry: false })?.mtimeMs
  return written === undefined ? 0 : Math.max(0, written - systemClock.now())
}

/**
 * Keeps waits from outlasting their own length if the wall clock is set back: now by `already` milliseconds, and whenever it
 * happens from now on. Work that waits for a moment is looked at again then.
 */
export function followClock(house: House, workers: BackgroundWorkers, already: number): void {
  const { alarms, log } = house
  let owed = 0
  let isWorking = false
  const setBack = async (by: number) => {
    owed += by
    if (isWorking) return
    isWorking = true
    while (owed > 0) {
      const part = Math.round(owed)
      owed = 0
      await bringBack(house, workers, part)
    }
    isWorking = false
  }
  alarms.onClockSet((by) => {
    log.warn({ milliseconds: Math.round(by) }, 'the clock of this machine was set')
    if (by < 0) void setBack(-by)
  })
  if (already < 1) return
  log.warn(
    { milliseconds: Math.round(-already) },
    'the clock of this machine was set back since the last start',
  )
  void setBack(already)
}

/** Brings back everything that waits, the shortest waits first. */
async function bringBack(
  house: House,
  { supervisor, deliverer, fileFetchers }: BackgroundWorkers,
  by: number,
): Promise<void> {
  await inParts(house, bringBackMessages, by, (instance) => supervisor.wake(instance))
  await inParts(house, bringBackAttempts, by, (organization) => deliverer.deliver(organization))
  await inParts(house, bringBackFiles, by, () => {})
  for (const fetcher of Object.values(fileFetchers)) fetcher.wake()
  await inParts(house, bringBackFacts, by, () => {})
  await inParts(house, bringBackDeliveries, by, () => {})
}

/** Goes on after a failure, for as long as there are alarms. */
async function inParts(
  { store, alarms, log }: House,
  transaction: typeof bringBackMessages,
  by: number,
  wake: (owner: string) => void,
): Promise<void> {
  const pause = (delay: number) => new Promise<void>((resolve) => void alarms.in(delay, resolve))
  let after: BroughtBack['next'] = null
  for (;;) {
    const args: Parameters<typeof transaction.run>[1] = { by, now: systemClock.now(), after }
    const part: BroughtBack | undefined = await store.transact(transaction, args).catch((error) => {
      log.error({ err: error }, 'could not shorten the waits after the clock was set back; trying again')
      return undefined
    })
    for (const owner of new Set(part?.owners)) wake(owner)
    if (part?.next === null) return
    if (part) after = part.next
    await pause(part ? restBetween : retryAfter)
  }
}
