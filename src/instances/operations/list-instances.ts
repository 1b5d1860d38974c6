import { handler } from '../../contract/handler.ts'
import { listInstances as operation } from '../../contract/operations/instance-operations.ts'
import { keyInCursor } from '../../contract/page-cursor.ts'
import { writeCursor } from '../../runtime/text/cursor.ts'
import { folded } from '../../runtime/text/folded-text.ts'
import { pageBytes } from '../../store/page.ts'
import type { InstanceReading } from '../instance.ts'
import { type InstanceOperationsContext, showInstance } from './context.ts'

/** The pattern that every name matches. */
const anyName = '^[a-z0-9_-]+$'

/** Reads that a search makes before it responds with what it has found: about 50 ms of work. */
const maxReads = 10

export const listInstances = (context: InstanceOperationsContext) =>
  handler(operation, async ({ caller, query, signal, turn }) => {
    const { reader } = context
    const limit = query.limit ?? 50
    const filter = {
      organizationId: caller.organizationId,
      status: query.status ?? null,
      network: query.network ?? null,
      search: query.search === undefined ? null : folded(query.search),
      seen: caller.instances,
    }
    const found: InstanceReading[] = []
    let after = keyInCursor(query.cursor, anyName)
    let left = pageBytes
    for (let reads = 1; ; reads++) {
      const page = await reader.list({ ...filter, limit: limit - found.length, bytes: left, after }, turn)
      found.push(...page.readings)
      after = page.next
      left -= page.bytes
      if (page.isFull || left <= 0) break
      // Each read is short: others have their turns between.
      if (after === null || found.length === limit || reads === maxReads || signal.aborted) break
    }
    return {
      status: 200,
      body: {
        data: found.map((reading) => showInstance(context, caller, reading)),
        next_cursor: after === null ? null : writeCursor(after),
      },
    }
  })
