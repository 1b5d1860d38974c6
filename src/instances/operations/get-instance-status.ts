import { handler, type StreamEvent } from '../../contract/handler.ts'
import { getInstanceStatus as operation } from '../../contract/operations/instance-operations.ts'
import type { InstanceConnectivity } from '../../contract/resources/instance.ts'
import { SingleFlight } from '../../runtime/single-flight.ts'
import { type InstanceOperationsContext, readInstance, showConnectivity } from './context.ts'

/** The state that followers are shown, and its text, by which they see if it is new. */
interface Shown {
  readonly now: InstanceConnectivity
  readonly text: string
}

export const getInstanceStatus = (context: InstanceOperationsContext) => {
  /** By instance: however many follow it, each change is read once. */
  const readings = new SingleFlight<Shown | null>()
  return handler(operation, async ({ caller, params, wantsStream, signal }) => {
    const { organizationId } = caller
    const reading = await readInstance(context, organizationId, params.name)
    if (!wantsStream) return { status: 200, body: showConnectivity(context, reading) }
    const { id } = reading.row
    const read = async () => {
      const found = await context.reader.find(organizationId, params.name)
      if (found?.row.id !== id) return null
      const now = showConnectivity(context, found)
      return { now, text: JSON.stringify(now) }
    }
    return { status: 200, stream: follow(context, reading.row, () => readings.read(id, read), signal) }
  })
}

/** Milliseconds after which a stream checks for changes by itself. */
const trust = 5_000

/** Yields the present state, then every change, until the instance is gone or the caller stops listening. */
async function* follow(
  { instanceChanges }: InstanceOperationsContext,
  { id, name }: { readonly id: string; readonly name: string },
  read: () => Promise<Shown | null>,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent> {
  let last = ''
  while (!signal.aborted) {
    const change = instanceChanges.next(id, trust, signal)
    const shown = await read()
    if (!shown) {
      yield { event: 'deleted', data: { name } }
      return
    }
    if (shown.text !== last) yield { event: 'status', data: shown.now }
    last = shown.text
    await change
  }
}
