import type { MediaKind, MessageKind } from '../../contract/resources/message.ts'
import { type StoreFunctions, type Transaction, transaction } from '../../store/store.ts'
import { kept, keptKind, seen } from '../../store/tables/kept-message.ts'
import type { CurrentMessage } from '../current-message.ts'
import { appendMessageEvents } from '../message-events.ts'
import { instancesNumbered } from '../message-instances.ts'
import { keptTime, timesOf } from '../message-times.ts'
import { storedError } from '../stored-error.ts'
import { endFetching, type FileCall, giveFile, waiting } from './fetch-store.ts'
import type { FetchProblem } from './fetcher.ts'
import type { KeptFileOfMessage } from './file-intake.ts'

/** A received file that was fetched and stored, and its kind. */
export interface KeptReceivedFile extends KeptFileOfMessage {
  readonly kind: MediaKind
}

/** Attaches a received file to its message, whose event is now appended. False if that was done before. */
export const receivedFileArrived = transaction(
  'received-files.arrived',
  async (tx, args: FileCall & { now: number; file: KeptReceivedFile }): Promise<boolean> => {
    const { messageId, now } = args
    const { kind, ...file } = args.file
    const message = await waiting(tx, args)
    if (!message) {
      await endFetching(tx, args)
      return false
    }
    await giveFile(tx, { messageId, organizationId: message.organization_id, file })
    // Only its network can tell a sticker from an image.
    const isSticker = message.kind === keptKind('sticker') && kind === 'image'
    await finish(tx, { message, now, change: { kind: isSticker ? 'sticker' : kind, error: null } })
    return true
  },
  { isToldTurn: true },
)

/** Appends the event of a message whose file cannot be had. False if that was done before. */
export const receivedFileFailed = transaction(
  'received-files.failed',
  async (tx, { messageId, turn, now, ...problem }: FileCall & { now: number } & FetchProblem) => {
    const message = await waiting(tx, { messageId, turn })
    await endFetching(tx, { messageId, turn })
    if (!message) return false
    await finish(tx, {
      message,
      now,
      change: { error: storedError({ ...problem, permanent: true }) },
    })
    return true
  },
  { isToldTurn: true },
)

interface FileResult {
  readonly message: Pick<
    CurrentMessage,
    'seq' | 'instance' | 'organization_id' | 'instance_id' | 'instance_name'
  >
  readonly now: number
  readonly change: { readonly kind?: MessageKind; readonly error: string | null }
}

async function finish(tx: Transaction, { message, now, change }: FileResult): Promise<void> {
  const { seq, instance, organization_id, instance_id, instance_name } = message
  const { last_event_at = 0 } = (await instancesNumbered(tx, [instance])).get(instance) ?? {}
  const changed = tx.sql
    .updateTable('messages')
    .set((eb) => ({
      ...kept(change),
      // As `timeOfEvent` finds it.
      last_event_after: keptTime(Math.max(now, last_event_at))(eb),
      awaits_file: 0,
    }))
    .where('seq', '=', seq)
    .returningAll()
  const rows = await tx.all(changed)
  await appendMessageEvents(
    tx,
    rows.map((row) => ({
      row: { ...seen(row), ...timesOf(row), organization_id, instance_id, instance_name },
    })),
    now,
  )
}

export const receivedFileFunctions: StoreFunctions = {
  reads: [],
  transactions: [receivedFileArrived, receivedFileFailed],
}
