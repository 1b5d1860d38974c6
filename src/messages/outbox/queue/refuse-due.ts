import type { Transaction } from '../../../store/store.ts'
import { whenTheyWrote } from '../../contacts/contact-store.ts'
import { isWindowOver, needsWindow, neverWritten, windowError } from '../../contacts/reply-window.ts'
import { optedOutError, refusedTemplates } from '../../marketing/opted-out.ts'
import { type MessageRow, templateIn } from '../../message.ts'
import { storedError } from '../../stored-error.ts'
import { leaveQueue } from './leave-queue.ts'
import { changeBy, type RefusedUnsent, removedBy, writeSettled } from './settle.ts'

/** The columns of a due message that matter here. */
interface Due extends Pick<MessageRow, 'seq' | 'id' | 'recipient' | 'kind' | 'text'> {
  readonly instance: number
}

/** An instance that claims: its number, its id, and the milliseconds in which a person who wrote may be answered, if there is a limit. */
interface Windowed {
  readonly instance: number
  readonly instanceId: string
  readonly replyWindow?: number | null
}

/** The reasons for which a due message fails without an attempt. */
const refusals = {
  'window-closed': { error: windowError, remove: removedBy('window-closed') },
  'opted-out': { error: optedOutError, remove: removedBy('opted-out') },
} as const

/**
 * Of the messages that are due, settles those as failed whose recipients certainly can no longer be answered, and those from templates for
 * marketing to people who want none; returns them by their numbers. One that may have arrived is left to its network, which recognizes it,
 * as the table of its life says.
 */
export async function refuseDue(
  tx: Transaction,
  due: readonly Due[],
  calls: readonly Windowed[],
  now: number,
): Promise<ReadonlyMap<number, RefusedUnsent>> {
  const outside = await outsideWindow(tx, due, calls, now)
  const unwanted = await unwantedTemplates(tx, due, calls)
  return new Map([
    ...(await refuse(tx, 'window-closed', outside, now)),
    ...(await refuse(tx, 'opted-out', unwanted, now)),
  ])
}

async function refuse(
  tx: Transaction,
  event: keyof typeof refusals,
  due: readonly Due[],
  now: number,
): Promise<[number, RefusedUnsent][]> {
  const { error, remove } = refusals[event]
  const removed = await tx.allForEach(remove, due)
  removed.sort((a, b) => a.seq - b.seq)
  const settled = removed.map((row) => ({
    removed: row,
    change: changeBy(event, row, { error: storedError(error) }),
  }))
  const left = await writeSettled(tx, settled, now)
  await leaveQueue(tx, left, now)
  return left.map(({ row: { seq, id, instance } }) => [seq, { id, instance, error }])
}

/** Asks nothing for instances without a reply window. */
async function outsideWindow(
  tx: Transaction,
  due: readonly Due[],
  calls: readonly Windowed[],
  now: number,
): Promise<Due[]> {
  const windows = new Map(calls.map(({ instance, replyWindow }) => [instance, replyWindow]))
  const placeOf = placesOf(calls)
  const limited = due.filter(({ instance, kind }) => windows.get(instance) != null && needsWindow(kind))
  const written = await whenTheyWrote(tx, limited.map(placeOf))
  const times = new Map(written.map((row) => [nameOf(row), row]))
  return limited.filter((one) => {
    const last = times.get(nameOf(placeOf(one))) ?? neverWritten
    return isWindowOver(last, windows.get(one.instance) ?? null, now)
  })
}

/** Asks nothing for messages that are made from no template. */
async function unwantedTemplates(
  tx: Transaction,
  due: readonly Due[],
  calls: readonly Windowed[],
): Promise<Due[]> {
  const made = due.filter(({ kind }) => kind === 'template')
  if (made.length === 0) return []
  const placeOf = placesOf(calls)
  const templates = made.map((one) => ({ ...templateIn(one.text), ...placeOf(one) }))
  const isRefused = await refusedTemplates(tx, templates)
  return made.filter((_, index) => isRefused[index])
}

function placesOf(calls: readonly Windowed[]) {
  const ids = new Map(calls.map(({ instance, instanceId }) => [instance, instanceId]))
  return ({ instance, recipient: address }: Due) => ({ instance: ids.get(instance) ?? '', address })
}

const nameOf = ({ instance, address }: { instance: string; address: string }) => `${instance} ${address}`
