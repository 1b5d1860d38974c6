import { handler } from '../../contract/handler.ts'
import { cancelMessages as operation } from '../../contract/operations/cancellation-operations.ts'
import { idInCursor } from '../../contract/page-cursor.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import { writeCursor } from '../../runtime/text/cursor.ts'
import { cancelQueued, type FoundQueued, findQueued } from '../outbox/sweep/cancel-many.ts'
import type { MessageOperationsContext } from '../sending/context.ts'
import { filterOf } from './list-messages.ts'

/** Reads after which a call responds with what it has done. */
const readsAtOnce = 10

export const cancelMessages = (context: MessageOperationsContext) =>
  handler(operation, async ({ caller, body, audit, signal, turn }) => {
    const { cursor, all = false, ...filters } = body
    if (Object.keys(filters).length === 0 && !all) throw invalid(nothingNamed)
    const { store, clock, searches, networks } = context
    const { organizationId } = caller
    const filter = { ...filterOf(networks, caller, filters), after: idInCursor(cursor, 'msg', '/cursor') }
    const find = (place: FoundQueued['goOn']) =>
      searches.run(organizationId, () => store.read(findQueued, { ...filter, place }, turn), signal)
    let note = audit()
    let canceled = 0
    let goOn: FoundQueued['goOn'] = null
    for (let reads = 1; ; reads++) {
      const found: FoundQueued | null = await find(goOn)
      if (!found) throw new Problem('instance_not_found')
      const { seqs } = found
      const { instanceName } = filter
      const now = clock.now()
      const done = await store.transact(
        cancelQueued,
        {
          organizationId,
          seqs,
          instanceName,
          now,
          audit: note,
        },
        turn,
      )
      // One entry for the call, in the transaction of its first change.
      if (done.canceled.length > 0) note = undefined
      canceled += done.canceled.length
      await tellOf(context, done)
      goOn = found.goOn
      if (!goOn) return { status: 200, body: { canceled, next_cursor: null } }
      if (reads >= readsAtOnce && goOn.id !== null)
        return { status: 200, body: { canceled, next_cursor: writeCursor(goOn.id) } }
    }
  })

const nothingNamed = {
  pointer: '',
  code: 'missing',
  detail: 'Give at least one filter, or set `all` to true to cancel every queued message.',
}

async function tellOf(
  { media, messageChanges, supervisor }: MessageOperationsContext,
  { canceled, hasFiles }: Awaited<ReturnType<typeof cancelQueued.run>>,
): Promise<void> {
  for (const { id } of canceled) messageChanges.notify(id)
  for (const instance of new Set(canceled.map(({ instance_id }) => instance_id))) supervisor.wake(instance)
  // The caller may have canceled them to make room for other files.
  if (hasFiles) await media.library.forgetAllExpired()
}
