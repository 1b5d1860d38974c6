import { type ChildProcess, fork, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { FewAtATime } from '../../runtime/few-at-a-time.ts'
import type { Log } from '../../runtime/log.ts'
import { type Answers, Line } from './line.ts'
import {
  type AskServer,
  type AskWorker,
  type ClientEvent,
  type ClientOptions,
  type FromWorker,
  libraryMissing,
  type ToWorker,
} from './worker-protocol.ts'

/** How many clients a worker has before another is started. */
const clientsPerWorker = 200

/** The heap of a worker, in megabytes: it reaches this only by a fault, which then ends it alone. */
const workerHeap = 1024

/**
 * What keeps a worker small while nothing happens: after a hundred logins, V8 and the C library would keep half a megabyte for each
 * account that they will hardly use again. It costs no processor time that could be measured.
 */
const smallProcess = ['--max-semi-space-size=4', '--v8-pool-size=1']
const arenas = '2'

/** The niceness of workers. */
const lowerPriority = 10

/** How long a client may take to close, in milliseconds. */
const closeTime = 3_000

/** How often a worker must show that it is alive, in milliseconds, and after how many times without an answer it is ended. */
const usualBeat = 10_000
const missedBeats = 3
/** How many times more it may take to begin. */
const startBeats = 6

/** How long a worker without clients is kept, in milliseconds. */
const idleTime = 30_000

/** Who holds a client. */
export interface ClientListener {
  readonly answers: Answers<AskServer>
  event(event: ClientEvent): void
  /** The process of the client ended, or there cannot be one. */
  workerEnded(why: 'worker_crashed' | 'library_missing'): void
}

/** A client as its holder sees it. */
export interface WorkerClient {
  readonly line: Pick<Line<AskServer, AskWorker>, 'ask'>
  /** Ends without logging out; resolves when the connection is gone. Nothing is heard from it again. */
  close(): Promise<void>
}

/** The processes that hold linked clients. They are started when they are needed. */
export class Workers {
  readonly #most: number
  readonly #beat: number
  #workers: Worker[] = []

  /** At most so many processes. `beat`: how often each must show that it is alive, in milliseconds. */
  constructor(most: number, beat = usualBeat) {
    this.#most = most
    this.#beat = beat
  }

  /** Opens a client in the process that has the fewest. */
  open(options: ClientOptions, listener: ClientListener, log: Log): WorkerClient {
    return this.#worker(log).open(options, listener)
  }

  #worker(log: Log): Worker {
    const [idlest] = this.#workers.toSorted((one, other) => one.clients - other.clients)
    const isFull = (idlest?.clients ?? 0) >= clientsPerWorker && this.#workers.length < this.#most
    if (idlest && !isFull) return idlest
    const worker = new Worker(log, this.#beat, () => {
      this.#workers = this.#workers.filter((each) => each !== worker)
    })
    this.#workers.push(worker)
    return worker
  }
}

interface Entry {
  readonly line: Line<AskServer, AskWorker>
  readonly listener: ClientListener
  readonly closed: PromiseWithResolvers<void>
}

/** One process. */
class Worker {
  readonly #child: ChildProcess
  readonly #log: Log
  readonly #clients = new Map<number, Entry>()
  /** Two hundred clients may lose their connections at once. */
  readonly #reports = new FewAtATime()
  readonly #gone: () => void
  readonly #beats: NodeJS.Timeout
  /** How often in a row no sign of life came. It may take its time to begin. */
  #missed = -startBeats
  #last = 0
  #idle: NodeJS.Timeout | undefined

  constructor(log: Log, beat: number, gone: () => void) {
    this.#log = log
    this.#gone = gone
    this.#child = fork(fileURLToPath(new URL('worker/main.ts', import.meta.url)), {
      serialization: 'advanced',
      execArgv: [`--max-old-space-size=${workerHeap}`, ...smallProcess],
      env: environment(),
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    if (this.#child.pid !== undefined) {
      giveWay(this.#child.pid)
      endWithServer(this.#child, this.#child.pid)
    }
    this.#child.on('message', (message: FromWorker) => {
      this.#missed = 0
      if (message.kind !== 'beat') this.#reports.do(() => this.#take(message))
    })
    this.#child.on('error', (error) => log.error({ err: error }, 'a worker for WhatsApp failed'))
    this.#child.on('exit', (code, signal) => this.#exited(code, signal))
    // From then on, a new client starts a new process.
    this.#child.once('disconnect', gone)
    this.#beats = setInterval(() => this.#listen(), beat)
    this.#beats.unref()
    process.once('exit', this.#kill)
  }

  get clients(): number {
    return this.#clients.size
  }

  open(options: ClientOptions, listener: ClientListener): WorkerClient {
    const client = ++this.#last
    const line = new Line<AskServer, AskWorker>(
      (message) => this.#send({ kind: 'line', client, message }),
      listener.answers,
    )
    const entry = { line, listener, closed: Promise.withResolvers<void>() }
    this.#clients.set(client, entry)
    clearTimeout(this.#idle)
    this.#child.ref()
    this.#child.channel?.ref()
    this.#send({ kind: 'open', client, options })
    return { line, close: () => this.#close(client, entry) }
  }

  /** One that does not answer holds its connections open, and would be given new ones: so it is killed, and they are opened again elsewhere. */
  #listen(): void {
    if (this.#missed >= missedBeats) {
      this.#log.error({ pid: this.#child.pid }, 'a worker for WhatsApp does not answer, and is ended')
      this.#kill()
      return
    }
    this.#missed += 1
    this.#send({ kind: 'beat' })
  }

  readonly #kill = (): void => void this.#child.kill('SIGKILL')

  async #close(client: number, { line, closed }: Entry): Promise<void> {
    line.end(new Error('the client is closed'))
    if (this.#clients.has(client)) this.#send({ kind: 'close', client })
    const late = setTimeout(() => this.#closed(client), closeTime)
    await closed.promise
    clearTimeout(late)
  }

  #take(message: Exclude<FromWorker, { kind: 'beat' }>): void {
    if (message.kind === 'trouble') {
      const { kind: _, ...fields } = message
      this.#log.error(fields, 'something failed in a worker for WhatsApp')
      return
    }
    const entry = this.#clients.get(message.client)
    if (message.kind === 'closed') this.#closed(message.client)
    else if (message.kind === 'line') entry?.line.take(message.message)
    else entry?.listener.event(message.event)
  }

  #closed(client: number): void {
    const entry = this.#clients.get(client)
    if (!this.#clients.delete(client)) return
    entry?.line.end(new Error('the client is closed'))
    entry?.closed.resolve()
    if (this.#clients.size === 0) this.#rest()
  }

  /** Without clients, it does not keep the server from ending, and ends after a while. */
  #rest(): void {
    this.#child.unref()
    this.#child.channel?.unref()
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.#child.connected && this.#child.disconnect(), idleTime)
    this.#idle.unref()
  }

  #exited(code: number | null, signal: NodeJS.Signals | null): void {
    this.#gone()
    clearTimeout(this.#idle)
    clearInterval(this.#beats)
    process.off('exit', this.#kill)
    if (code === libraryMissing) this.#log.error('the library for WhatsApp (baileys) is not installed')
    else if (this.#clients.size > 0)
      this.#log.error({ code, signal, clients: this.#clients.size }, 'a worker for WhatsApp ended')
    for (const client of this.#clients.keys()) this.#reports.do(() => this.#lost(client, code))
  }

  #lost(client: number, code: number | null): void {
    const entry = this.#clients.get(client)
    this.#closed(client)
    entry?.listener.workerEnded(code === libraryMissing ? 'library_missing' : 'worker_crashed')
  }

  /** One that is ending takes nothing more; that it ended is told to each client. */
  #send(message: ToWorker): void {
    if (this.#child.connected) this.#child.send(message, () => undefined)
  }
}

/** Two hundred accounts that log in at once take all processors for some seconds: requests go first. */
function giveWay(pid: number): void {
  try {
    setPriority(pid, lowerPriority)
  } catch {
    // The system does not allow it, or the process has ended already.
  }
}

/**
 * A worker ends by itself when its server is gone, unless it runs in circles. So a shell waits for the end of a pipe that lives as long
 * as the server, and then ends the worker; it takes 200 kB. Systems without a shell do without.
 */
function endWithServer(worker: ChildProcess, pid: number): void {
  // A terminal, or a service manager that stops the server, sends these signals to all processes at once.
  const script = `trap '' INT TERM HUP; read -r ended || kill -9 ${pid}`
  const shell = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'], env: {} })
  shell.on('error', () => undefined)
  shell.stdin.on('error', () => undefined)
  shell.unref()
  // What Node calls a stream is a socket.
  ;(shell.stdin as Socket).unref()
  worker.once('exit', () => shell.stdin.end('ended\n'))
}

/** What a worker needs of the environment: no secret of the server. */
function environment(): NodeJS.ProcessEnv {
  const { PATH, TZ, NODE_EXTRA_CA_CERTS } = process.env
  const cache = fileURLToPath(new URL('../../../node_modules/.cache/posthorn', import.meta.url))
  return {
    PATH,
    NODE_COMPILE_CACHE: cache,
    MALLOC_ARENA_MAX: arenas,
    ...(TZ !== undefined && { TZ }),
    ...(NODE_EXTRA_CA_CERTS !== undefined && { NODE_EXTRA_CA_CERTS }),
  }
}
