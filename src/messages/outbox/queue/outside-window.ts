import type { Transaction } from '../../../store/store.ts'
import { whenTheyWrote } from '../../contacts/contact-store.ts'
import { isWindowOver, needsWindow, neverWritten, windowError } from '../../contacts/reply-window.ts'
import type { MessageRow } from '../../message.ts'
import { storedError } from '../../stored-error.ts'
import { leaveQueue } from './leave-queue.ts'
import { changeBy, type RefusedUnsent, removedBy, writeSettled } from './settle.ts'

/** The columns of a due message that matter here. */
interface Due extends Pick<MessageRow, 'seq' | 'id' | 'recipient' | 'kind'> {
  readonly instance: number
}

/** An instance that claims: its number, its id, and the milliseconds in which a person who wrote may be answered, if there is a limit. */
interface Windowed {
  readonly instance: number
  readonly instanceId: string
  readonly replyWindow?: number | null
}

const removeRefused = removedBy('window-closed')

/**
 * Of the messages that are due, settles those as failed whose recipients certainly can no longer be answered; returns them by their
 * numbers. One that may have arrived is left to its network, which recognizes it, as the table of its life says. Asks nothing for instances without a reply window.
 */
export async function refuseOutsideWindow(
  tx: Transaction,
  due: readonly Due[],
  calls: readonly Windowed[],
  now: number,
): Promise<ReadonlyMap<number, RefusedUnsent>> {
  const windows = new Map(calls.map(({ instance, replyWindow }) => [instance, replyWindow]))
  const ids = new Map(calls.map(({ instance, instanceId }) => [instance, instanceId]))
  const limited = due.filter(({ instance, kind }) => windows.get(instance) != null && needsWindow(kind))
  const placeOf = ({ instance, recipient: address }: Due) => ({ instance: ids.get(instance) ?? '', address })
  const written = await whenTheyWrote(tx, limited.map(placeOf))
  const times = new Map(written.map((row) => [nameOf(row), row]))
  const over = limited.filter((one) => {
    const last = times.get(nameOf(placeOf(one))) ?? neverWritten
    return isWindowOver(last, windows.get(one.instance) ?? null, now)
  })
  const error = storedError(windowError)
  const removed = await tx.allForEach(removeRefused, over)
  removed.sort((a, b) => a.seq - b.seq)
  const settled = removed.map((row) => ({
    removed: row,
    change: changeBy('window-closed', row, { error }),
  }))
  const left = await writeSettled(tx, settled, now)
  await leaveQueue(tx, left, now)
  return new Map(left.map(({ row: { seq, id, instance } }) => [seq, { id, instance, error: windowError }]))
}

const nameOf = ({ instance, address }: { instance: string; address: string }) => `${instance} ${address}`
