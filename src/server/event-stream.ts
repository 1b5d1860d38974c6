import type { ServerResponse } from 'node:http'
import type { StreamEvent } from '../contract/handler.ts'
import type { Alarm, Alarms } from '../runtime/alarms.ts'

/** How often a stream shows a sign of life, in milliseconds; then it is also seen whether the caller may still listen. */
const signOfLifeEvery = 15_000
/** Bytes that may wait for a slow listener before the stream is ended. */
const buffered = 1024 * 1024

/** Writes events as server-sent events until they end, the listener goes, or `stillAllowed` says no. */
export async function writeEventStream(
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
  events: AsyncIterable<StreamEvent>,
  context: {
    readonly alarms: Alarms
    readonly stillAllowed: () => Promise<boolean>
    readonly abort: AbortController
  },
): Promise<void> {
  const { alarms, stillAllowed, abort } = context
  response.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  response.on('close', () => abort.abort())
  let alarm: Alarm | undefined
  const live = async () => {
    response.write(': still here\n\n')
    if (!(await stillAllowed().catch(() => true)) || response.writableLength > buffered) abort.abort()
    if (!abort.signal.aborted) alarm = alarms.in(signOfLifeEvery, () => void live())
  }
  alarm = alarms.in(signOfLifeEvery, () => void live())
  try {
    for await (const { event, data } of events) {
      if (abort.signal.aborted) break
      response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
      if (response.writableLength > buffered) break
    }
  } finally {
    alarm?.cancel()
    response.end()
  }
}
