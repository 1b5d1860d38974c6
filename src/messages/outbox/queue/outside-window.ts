import type { Transaction } from '../../../store/store.ts'
import { whenTheyWrote } from '../../contacts/contact-store.ts'
import { isWindowOver, needsWindow, neverWritten, windowError } from '../../contacts/reply-window.ts'
import type { MessageRow } from '../../message.ts'
import { storedError } from '../../stored-error.ts'
import { leaveQueue } from './leave-queue.ts'
import { changeBy, removedBy, writeSettled } from './settle.ts'

/** The columns of a due message that matter here. */
type Due = Pick<MessageRow, 'seq' | 'id' | 'instance_id' | 'recipient' | 'kind'>

/** A message that was settled without an attempt. */
export interface RefusedUnsent {
  readonly id: string
  readonly instance: string
}

const removeRefused = removedBy('window-closed')

/**
 * Of the messages that are due, settles those as failed whose recipients certainly can no longer be answered; returns them by their
 * numbers. One that may have arrived is left to its network, which recognizes it, as the table of its life says. Asks nothing for instances without a reply window.
 */
export async function refuseOutsideWindow(
  tx: Transaction,
  due: readonly Due[],
  calls: readonly { readonly instanceId: string; readonly replyWindow?: number | null }[],
  now: number,
): Promise<ReadonlyMap<number, RefusedUnsent>> {
  const windows = new Map(calls.map(({ instanceId, replyWindow }) => [instanceId, replyWindow]))
  const limited = due.filter(({ instance_id, kind }) => windows.get(instance_id) != null && needsWindow(kind))
  const written = await whenTheyWrote(
    tx,
    limited.map(({ instance_id: instance, recipient: address }) => ({ instance, address })),
  )
  const times = new Map(written.map((row) => [laneOf(row.instance, row.address), row]))
  const over = limited.filter(({ instance_id, recipient }) => {
    const last = times.get(laneOf(instance_id, recipient)) ?? neverWritten
    return isWindowOver(last, windows.get(instance_id) ?? null, now)
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
  return new Map(left.map(({ row: { seq, id, instance_id: instance } }) => [seq, { id, instance }]))
}

const laneOf = (instance: string, recipient: string) => `${instance} ${recipient}`
