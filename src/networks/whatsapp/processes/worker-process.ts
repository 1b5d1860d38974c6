import type { ChildProcess } from 'node:child_process'
import { whyMissing } from '../../../runtime/config/optional-package.ts'
import type { Log } from '../../../runtime/log.ts'
import { TickQueue } from '../../../runtime/timers/tick-queue.ts'
import { TurnBatch } from '../../../runtime/timers/turn-batch.ts'
import { Beats } from './heartbeats.ts'
import type { Occupancy } from './placement.ts'
import { RpcChannel } from './rpc-channel.ts'
import { ServedRecord } from './served-record.ts'
import { hearFullHeap, startWorker } from './start-worker.ts'
import { residentMemoryOf } from './vital-signs.ts'
import type { ClientListener, ClientOwner, ProcessEnd, WorkerClient } from './worker-client.ts'
import {
  type AskServer,
  type AskWorker,
  type FromWorker,
  libraryMissing,
  type ToWorker,
  type WorkerClientOptions,
} from './worker-protocol.ts'

/** Milliseconds that a client may take to close. */
const closeTime = 3_000

/** Milliseconds that a worker without clients is kept. */
const idleTime = 30_000

export interface ProcessOptions {
  /** The file of its program. */
  readonly program: string
  readonly log: Log
  /** Milliseconds between two signs of life. */
  readonly beat: number
  /** Memory that it may have, in bytes. */
  readonly memory: number
  /** From then on, a new client starts a new process. */
  readonly gone: () => void
  /** It fell. `served`: the instance that it served then, if it served one. Called before its clients are told. */
  readonly fell: (why: ProcessEnd, served: string | undefined) => void
}

interface Entry {
  readonly owner: ClientOwner
  readonly line: RpcChannel<AskServer, AskWorker>
  readonly listener: ClientListener
  readonly closed: PromiseWithResolvers<void>
}

/** One process that holds clients. */
export class WorkerProcess implements Occupancy {
  readonly #options: ProcessOptions
  readonly #record = new ServedRecord()
  readonly #child: ChildProcess
  readonly #clients = new Map<number, Entry>()
  readonly #parties = new Map<string, number>()
  /** Two hundred clients may lose their connections at once. */
  readonly #reports = new TickQueue()
  readonly #beats: Beats
  /** A worker that is ending takes nothing more; that it ended is told to each client. */
  readonly #orders = new TurnBatch<ToWorker>((messages) => {
    if (this.#child.connected) this.#child.send([...messages], () => undefined)
  })
  #last = 0
  #idle: NodeJS.Timeout | undefined
  #why: ProcessEnd | undefined

  constructor(options: ProcessOptions) {
    const { program, log, beat, memory, gone } = options
    this.#options = options
    this.#child = startWorker(program, memory, this.#record.file)
    hearFullHeap(this.#child, () => {
      this.#why ??= 'worker_out_of_memory'
    })
    this.#beats = new Beats(this.#child.pid ?? 0, beat, {
      ask: () => this.#send({ kind: 'beat', every: beat }),
      look: () => this.#weigh(),
      silent: () => this.#end('worker_silent'),
    })
    this.#child.on('message', (messages: readonly FromWorker[]) => {
      this.#beats.heard()
      for (const message of messages) if (message.kind !== 'beat') this.#reports.do(() => this.#take(message))
    })
    this.#child.on('error', (error) => log.error({ err: error }, 'a worker for WhatsApp failed'))
    this.#child.once('disconnect', gone)
    // Its last words have been read then.
    this.#child.once('close', (code, signal) => this.#ended(code, signal))
    process.once('exit', this.#kill)
  }

  get clients(): number {
    return this.#clients.size
  }

  get parties(): ReadonlyMap<string, number> {
    return this.#parties
  }

  open(options: WorkerClientOptions, listener: ClientListener, owner: ClientOwner): WorkerClient {
    const client = ++this.#last
    const line = new RpcChannel<AskServer, AskWorker>(
      (message) => this.#send({ kind: 'line', client, message }),
      listener.answers,
    )
    const entry = { owner, line, listener, closed: Promise.withResolvers<void>() }
    this.#clients.set(client, entry)
    this.#parties.set(owner.party, (this.#parties.get(owner.party) ?? 0) + 1)
    clearTimeout(this.#idle)
    this.#child.ref()
    this.#child.channel?.ref()
    this.#send({ kind: 'open', client, options })
    return { line, close: () => this.#close(client, entry) }
  }

  /** Ends when its clients are closed, and is not waited for. */
  dismiss(): void {
    if (this.#clients.size === 0 && this.#child.connected) this.#child.disconnect()
  }

  /** Looks at how much memory it has. */
  #weigh(): void {
    const memory = this.#child.pid === undefined ? null : residentMemoryOf(this.#child.pid)
    if (memory !== null && memory > this.#options.memory) this.#end('worker_out_of_memory')
  }

  /**
   * Ends it. It may hold its connections open and not answer: its clients are told at once that they have lost theirs, and open others
   * elsewhere.
   */
  #end(why: ProcessEnd): void {
    if (this.#why !== undefined) return
    this.#why = why
    this.#beats.stop()
    this.#options.gone()
    this.#tell(why)
    this.#kill()
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
      this.#options.log.error(fields, 'something failed in a worker for WhatsApp')
      return
    }
    const entry = this.#clients.get(message.client)
    if (message.kind === 'closed') this.#closed(message.client)
    else if (message.kind === 'line') entry?.line.take(message.message)
    else entry?.listener.event(message.event)
  }

  #closed(client: number): void {
    const entry = this.#clients.get(client)
    if (!entry) return
    this.#clients.delete(client)
    const { party } = entry.owner
    const left = (this.#parties.get(party) ?? 1) - 1
    if (left > 0) this.#parties.set(party, left)
    else this.#parties.delete(party)
    entry.line.end(new Error('the client is closed'))
    entry.closed.resolve()
    this.rest()
  }

  /** While it has no clients, it does not keep the server from ending, and ends after a while. */
  rest(): void {
    if (this.#clients.size > 0) return
    this.#child.unref()
    this.#child.channel?.unref()
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.#child.connected && this.#child.disconnect(), idleTime)
    this.#idle.unref()
  }

  #ended(code: number | null, signal: NodeJS.Signals | null): void {
    this.#options.gone()
    clearTimeout(this.#idle)
    this.#beats.stop()
    process.off('exit', this.#kill)
    if (code === libraryMissing) this.#why = 'library_missing'
    if (this.#clients.size > 0) this.#tell(this.#why ?? 'worker_crashed', { code, signal })
    this.#record.close()
  }

  #tell(why: ProcessEnd, how: object = {}): void {
    const { now, last } = this.#record.read()
    // Memory may be found to be full a moment after it was filled.
    const client = why === 'worker_out_of_memory' && now === 0 ? last : now
    const served = this.#clients.get(client)?.owner.instance
    const clients = this.#clients.size
    this.#options.log.error({ pid: this.#child.pid, why, served, clients, ...how }, sentenceOf(why))
    this.#options.fell(why, served)
    for (const client of this.#clients.keys()) this.#reports.do(() => this.#lost(client, why))
  }

  #lost(client: number, why: ProcessEnd): void {
    const entry = this.#clients.get(client)
    this.#closed(client)
    entry?.listener.workerEnded(why)
  }

  #send(message: ToWorker): void {
    this.#orders.add(message)
  }
}

/** Says what happened; if the library was left out, with the command that brings it. */
function sentenceOf(why: ProcessEnd): string {
  const missing = why === 'library_missing' ? whyMissing('baileys', 'the network whatsapp') : undefined
  return missing ?? sentences[why]
}

const sentences: Readonly<Record<ProcessEnd, string>> = {
  worker_crashed: 'a worker for WhatsApp ended',
  worker_silent: 'a worker for WhatsApp does not answer, and is ended',
  worker_out_of_memory:
    'a worker for WhatsApp used up its memory (POSTHORN_WHATSAPP_WORKER_MEMORY_MB), and is ended',
  library_missing: 'the library for WhatsApp (baileys) cannot be loaded',
}
