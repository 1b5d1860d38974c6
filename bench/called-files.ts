import { subscribe } from 'node:diagnostics_channel'
import { writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { Session } from 'node:inspector'
import { fileURLToPath } from 'node:url'
import { BroadcastChannel, isMainThread } from 'node:worker_threads'

/*
 * Loaded into a server before anything else, and into each of its threads. Tells which files of `src` have a function that is called
 * while a request is answered that carries the header `measure-files`: the main thread from the first byte to the end of the response,
 * the other threads until then.
 */

export const measureHeader = 'measure-files'
/** In the environment: the file that the report is written to. */
export const reportSetting = 'MEASURE_FILES_REPORT'

export interface Report {
  readonly main: readonly string[]
  readonly threads: readonly string[]
}

const source = fileURLToPath(new URL('../src/', import.meta.url))
function followRequests(file: string): void {
  const calls = new CalledFiles()
  const channel = new BroadcastChannel(measureHeader)
  channel.unref()
  let threads = 0
  let main: readonly string[] = []
  let calledInThreads: string[][] = []
  channel.onmessage = ({ data }) => {
    if (data === 'begun') threads++
    if (!Array.isArray(data)) return
    calledInThreads.push(data)
    if (calledInThreads.length < threads) return
    writeFileSync(file, JSON.stringify({ main, threads: calledInThreads.flat() } satisfies Report))
  }
  subscribe('http.server.request.start', (message) => {
    const { request } = message as { request: IncomingMessage }
    const order = request.headers[measureHeader]
    // The threads are told by a request before, so that they have begun by the time that the one comes which counts.
    if (order === 'soon') {
      threads = 0
      calledInThreads = []
      channel.postMessage('begin')
    }
    if (order === 'now') calls.begin()
  })
  subscribe('http.server.response.finish', (message) => {
    const { request } = message as { request: IncomingMessage }
    if (request.headers[measureHeader] !== 'now') return
    main = calls.end()
    channel.postMessage('end')
  })
}

function followMainThread(): void {
  const calls = new CalledFiles()
  const channel = new BroadcastChannel(measureHeader)
  channel.unref()
  channel.onmessage = ({ data }) => {
    if (data === 'begin') {
      calls.begin()
      channel.postMessage('begun')
    }
    if (data === 'end') channel.postMessage(calls.end())
  }
}

/** The files of `src` with a function that this thread calls. */
class CalledFiles {
  readonly #session = new Session()

  constructor() {
    this.#session.connect()
    this.#session.post('Profiler.enable')
  }

  begin(): void {
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  }

  end(): string[] {
    const found: string[] = []
    // Both are answered before `post` returns.
    this.#session.post('Profiler.takePreciseCoverage', (error, covered) => {
      if (error) throw error
      for (const { url, functions } of covered.result) {
        const path = url.startsWith('file:') ? fileURLToPath(url) : ''
        const isCalled = functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
        if (isCalled && path.startsWith(source)) found.push(path.slice(source.length))
      }
    })
    this.#session.post('Profiler.stopPreciseCoverage')
    return found.sort()
  }
}

const file = process.env[reportSetting]
if (file !== undefined) {
  if (isMainThread) followRequests(file)
  else followMainThread()
}
