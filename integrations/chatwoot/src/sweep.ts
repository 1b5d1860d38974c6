import type { Chatwoot } from './chatwoot.ts'
import { pauseFor } from './chatwoot-request.ts'
import { type Log, reasonOf } from './log.ts'
import type { State } from './state.ts'

export interface SweepParts {
  readonly state: State
  readonly chatwoot: Chatwoot
  readonly log: Log
  readonly sweepMs: number
  readonly onWork: () => void
  readonly signal: AbortSignal
}

/** A message may become visible this long after the time that it bears, in seconds. */
const marginSeconds = 120
const maxPages = 4_000
const maxPasses = 20
const pauseMs = 5_000
/** Replies are remembered for 60 days: much longer than Chatwoot may repeat a webhook. */
const forgetAfterMs = 60 * 86_400_000

/**
 * Looks again and again for conversations in which something was written, because Chatwoot does not repeat a webhook that was not
 * answered (chatwoot/chatwoot#15920). The time up to which all replies were found, the floor, moves on when all visits of a sweep are
 * done.
 */
export async function sweepRepeatedly(parts: SweepParts): Promise<void> {
  const { log, sweepMs, signal } = parts
  for (let failures = 0; !signal.aborted; ) {
    try {
      await sweep(parts)
      failures = 0
      await pauseFor(sweepMs, signal)
    } catch (error) {
      if (signal.aborted) return
      if (failures++ % 20 === 0) log(`Looking for replies: ${reasonOf(error)}`)
      await pauseFor(Math.min(pauseMs, sweepMs), signal).catch(() => undefined)
    }
  }
}

/** Wants a visit to each conversation with activity since the floor. */
export async function sweep({ state, chatwoot, onWork }: SweepParts): Promise<void> {
  raiseFloor(state)
  const floor = Number(state.fact('floor'))
  const visited = new Set<number>()
  let begunAt: number | undefined
  // A conversation that moves to the front while pages are read is found by the next pass.
  for (let pass = 0; pass < maxPasses; pass++) {
    const before = visited.size
    for (let number = 1; number <= maxPages; number++) {
      const { page, at } = await chatwoot.conversations(number)
      begunAt ??= at
      const active = page.filter(({ last_activity_at }) => last_activity_at >= floor)
      for (const { id } of active) {
        if (!visited.has(id)) state.want('visit', id, true)
        visited.add(id)
      }
      onWork()
      if (active.length === 0 || active.length < page.length) break
    }
    if (visited.size === before) {
      state.transact(() => {
        state.setFact('next_floor', Math.max(floor, (begunAt ?? 0) - marginSeconds))
        state.setFact('next_floor_at', Date.now())
      })
      break
    }
  }
  state.forgetParts(Date.now() - forgetAfterMs)
}

/** Moves the floor to where the last whole sweep began, if all its visits are done. */
function raiseFloor(state: State): void {
  const next = state.fact('next_floor')
  if (next === undefined || state.hasVisitSince(Number(state.fact('next_floor_at')))) return
  state.setFact('floor', Math.max(Number(state.fact('floor')), Number(next)))
}
