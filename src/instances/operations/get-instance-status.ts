import { handler, type StreamEvent } from '../../contract/handler.ts'
import type { InstanceConnectivity } from '../../contract/instance.ts'
import { getInstanceStatus as operation } from '../../contract/instance-operations.ts'
import { renderConnectivity } from '../instance.ts'
import { findInstance } from '../instance-store.ts'
import { type InstanceOperationsContext, readInstance } from './context.ts'

export const getInstanceStatus = (context: InstanceOperationsContext) =>
  handler(operation, async ({ caller, params, wantsStream, signal }) => {
    const reading = await readInstance(context, caller.organizationId, params.name)
    if (!wantsStream) return { status: 200, body: render(context, reading) }
    const read = async () => {
      const now = await context.store.read(findInstance, {
        organization: caller.organizationId,
        name: params.name,
      })
      return now?.row.id === reading.row.id ? render(context, now) : null
    }
    return { status: 200, stream: follow(context, reading.row, read, signal) }
  })

function render(
  { secrets }: InstanceOperationsContext,
  reading: Awaited<ReturnType<typeof readInstance>>,
): InstanceConnectivity {
  const { id } = reading.row
  return renderConnectivity(reading, reading.link && secrets.openLink(id, reading.link))
}

/** How long a stream trusts that nothing changed without being told, in milliseconds. */
const trust = 5_000

/** The present state, then every change, until the instance is gone or nobody listens. */
async function* follow(
  { changes }: InstanceOperationsContext,
  { id, name }: { readonly id: string; readonly name: string },
  read: () => Promise<InstanceConnectivity | null>,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent> {
  let last = ''
  while (!signal.aborted) {
    const change = changes.next(id, trust, signal)
    const now = await read()
    if (!now) {
      yield { event: 'deleted', data: { name } }
      return
    }
    const text = JSON.stringify(now)
    if (text !== last) yield { event: 'status', data: now }
    last = text
    await change
  }
}
