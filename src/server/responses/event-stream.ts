import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { StreamEvent, StreamPosition, StreamResponse } from '../../contract/handler.ts'
import type { Alarm, Alarms } from '../../runtime/timers/alarms.ts'

/**
 * Milliseconds between two signs of life of a stream. Each time, it is also checked that the caller may still listen, and
 * does: a stream is cut off if data waited and its caller has taken in nothing since the last sign.
 */
const signOfLifeEvery = 15_000
/** For how long a caller who might listen a moment ago is told events, in milliseconds. */
const believedFor = 1_000
/** Bytes that may wait for a slow listener before the stream is ended. */
const buffered = 1024 * 1024

/** The caller who listens to a stream. */
interface Listener {
  readonly alarms: Pick<Alarms, 'in'>
  readonly stillAllowed: () => Promise<boolean>
  /** Has `ask` called when the caller may have lost the right to listen, until the function that is returned is called. */
  readonly whenInDoubt: (ask: () => void) => () => void
  /** Aborts when the listener goes or the server stops; aborted here when the stream is to end. */
  readonly abort: AbortController
  /** Is told how many bytes the listener has not taken yet. */
  readonly room?: { is(bytes: number): void }
}

/** Writes events as server-sent events until they end, the listener goes, or `stillAllowed` says no. */
export async function writeEventStream(
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
  { stream, paced = false }: StreamResponse,
  listener: Listener,
): Promise<void> {
  const { abort, room } = listener
  room?.is(0)
  response.on('drain', () => room?.is(0))
  response.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  response.on('close', () => abort.abort())
  const endSigns = showSignsOfLife(response, listener)
  const belief = new PermissionCache(listener)
  try {
    for await (const item of stream) {
      if (!(await belief.mayListen())) break
      response.write(wireText(item))
      if (response.writableNeedDrain) room?.is(response.writableLength)
      if (response.writableLength > buffered) break
      if (paced && response.writableNeedDrain) await taken(response, abort.signal)
    }
  } finally {
    endSigns()
    belief.end()
    end(response, listener)
  }
}

/** Asks at most once a second whether the caller may still listen, and only when there is something to tell. */
class PermissionCache {
  readonly #listener: Listener
  #isFresh = false
  #alarm: Alarm | undefined

  constructor(listener: Listener) {
    this.#listener = listener
  }

  async mayListen(): Promise<boolean> {
    const { alarms, stillAllowed, abort } = this.#listener
    if (!this.#isFresh && !abort.signal.aborted) {
      if (!(await stillAllowed().catch(() => true))) return false
      this.#isFresh = true
      this.#alarm = alarms.in(believedFor, () => {
        this.#isFresh = false
      })
    }
    return !abort.signal.aborted
  }

  end(): void {
    this.#alarm?.cancel()
  }
}

/** Resolves when the listener has taken in what waits for it, or when the stream is to end. */
async function taken(response: ServerResponse, signal: AbortSignal): Promise<void> {
  await once(response, 'drain', { signal }).catch(() => {})
}

/** Shows signs of life until the function that is returned is called. */
function showSignsOfLife(
  response: ServerResponse,
  { alarms, stillAllowed, whenInDoubt, abort }: Listener,
): () => void {
  let alarm: Alarm
  let ended = false
  let drains = 0
  /** Value of `drains` at the last sign of life, if data waited then. */
  let waitedAfter: number | undefined
  response.on('drain', () => {
    drains++
  })
  const ask = async () => {
    if (!(await stillAllowed().catch(() => true))) abort.abort()
  }
  const stopAsking = whenInDoubt(() => void ask())
  const live = async () => {
    if (abort.signal.aborted) return
    const waits = response.writableNeedDrain
    if (waits && waitedAfter === drains) {
      response.destroy()
      return
    }
    waitedAfter = waits ? drains : undefined
    if (!waits) response.write(': still here\n\n')
    await ask()
    if (response.writableLength > buffered) abort.abort()
    if (!abort.signal.aborted && !ended) alarm = alarms.in(signOfLifeEvery, () => void live())
  }
  alarm = alarms.in(signOfLifeEvery, () => void live())
  return () => {
    ended = true
    stopAsking()
    alarm.cancel()
  }
}

/** Ends the stream, also for a listener that does not take in the rest of it. */
function end(response: ServerResponse, { alarms }: Listener): void {
  response.end()
  if (response.closed) return
  const cut = alarms.in(signOfLifeEvery, () => response.destroy())
  response.once('close', () => cut.cancel())
}

/** An item as on the wire (HTML, section 9.2.5). An id without data is not an event; it only moves the listener's position. */
function wireText(item: StreamEvent | StreamPosition): string {
  const position = item.id === undefined ? '' : `id: ${item.id}\n`
  if (!('event' in item)) return `${position}\n`
  return `${position}event: ${item.event}\ndata: ${JSON.stringify(item.data)}\n\n`
}
