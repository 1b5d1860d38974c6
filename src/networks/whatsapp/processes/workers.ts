import { fileURLToPath } from 'node:url'
import { Tally } from '../../../runtime/counts.ts'
import type { Log } from '../../../runtime/log.ts'
import type { WorkerCounts } from '../../driver/driver.ts'
import { placeFor } from './placement.ts'
import { Quarantine } from './quarantine.ts'
import type { ClientListener, ClientOwner, ProcessEnd, WorkerClient } from './worker-client.ts'
import { WorkerProcess } from './worker-process.ts'
import type { Dropped, WorkerClientOptions } from './worker-protocol.ts'

/** Milliseconds between two signs of life of each process. */
const usualBeat = 1_000

/** Memory that each may have, in bytes. */
const usualMemory = 1024 * 2 ** 20

export interface WorkersOptions {
  /** Milliseconds between two signs of life of each. */
  readonly beat?: number | undefined
  /** Memory that each may have, in bytes. */
  readonly memory?: number | undefined
  readonly quarantine?: Quarantine
}

/** A process for one client that was put apart. */
interface Cell {
  readonly owner: ClientOwner
  readonly process: WorkerProcess
}

/** The processes that hold linked clients. They are started when they are needed. */
export class Workers {
  readonly dropped = new Tally<Dropped>({
    name: 'whatsapp_dropped_total',
    help: 'What came in for linked WhatsApp accounts and was dropped: history, message or stanza if it exceeded a limit or could not be read, history_file if the file could not be fetched or is not the one that the phone announced.',
    label: 'what',
  })
  readonly ends = new Tally<ProcessEnd>({
    name: 'whatsapp_worker_ends_total',
    help: 'Worker processes that fell while they held WhatsApp accounts, by reason: worker_crashed, worker_silent, worker_out_of_memory, library_missing.',
    label: 'reason',
  })
  readonly #most: number
  readonly #beat: number
  readonly #memory: number
  readonly #quarantine: Quarantine
  #processes: WorkerProcess[] = []
  readonly #cells = new Set<Cell>()

  /** At most so many processes, and as many again for clients that were put apart. */
  constructor(most: number, { beat, memory, quarantine }: WorkersOptions = {}) {
    this.#most = most
    this.#beat = beat ?? usualBeat
    this.#memory = memory ?? usualMemory
    this.#quarantine = quarantine ?? new Quarantine()
  }

  /** Returns the processes that run, the clients that they hold, and the processes that fell. */
  counts(): WorkerCounts {
    const all = [...this.#processes, ...[...this.#cells].map(({ process }) => process)]
    const accounts = all.reduce((sum, { clients }) => sum + clients, 0)
    const ended = [...this.ends.entries()].reduce((sum, [, count]) => sum + count, 0)
    return { running: all.length, accounts, ended }
  }

  /** Opens a client. If it is put apart, and cannot have a process of its own now, it is told so. */
  open(options: WorkerClientOptions, listener: ClientListener, log: Log, owner: ClientOwner): WorkerClient {
    if (this.#quarantine.holds(owner.instance)) return this.#openApart(options, listener, log, owner)
    const place = placeFor(owner.party, this.#processes, this.#most) ?? this.#startShared(log)
    return place.open(options, listener, owner)
  }

  /** Starts a process if there is none: clients may come soon, and it takes longer to start than they take to connect. */
  prepare(log: Log): void {
    if (this.#processes.length === 0) this.#startShared(log).rest()
  }

  #startShared(log: Log): WorkerProcess {
    const started: WorkerProcess = this.#start(log, () => {
      this.#processes = this.#processes.filter((each) => each !== started)
    })
    this.#processes.push(started)
    return started
  }

  #start(log: Log, gone: () => void): WorkerProcess {
    return new WorkerProcess({
      program: fileURLToPath(new URL('../worker/main.ts', import.meta.url)),
      log,
      beat: this.#beat,
      memory: this.#memory,
      gone,
      fell: (why, served) => {
        this.ends.add(why)
        if (served !== undefined && why !== 'library_missing') this.#quarantine.fell(served)
      },
    })
  }

  #openApart(
    options: WorkerClientOptions,
    listener: ClientListener,
    log: Log,
    owner: ClientOwner,
  ): WorkerClient {
    if (this.#quarantine.pause(owner.instance) > 0 || !this.#hasCellFor(owner)) return refused(listener)
    const release = () => {
      clearInterval(watch)
      this.#cells.delete(cell)
    }
    const cell: Cell = { owner, process: this.#start(log, release) }
    this.#cells.add(cell)
    const client = cell.process.open(options, listener, owner)
    const watch = setInterval(() => {
      if (!this.#quarantine.holds(owner.instance)) listener.workerEnded('quarantine_over')
    }, lookEvery)
    watch.unref()
    const close = async () => {
      await client.close()
      release()
      cell.process.dismiss()
    }
    return { line: client.line, close }
  }

  /** Each organization may have one, so that the clients of one do not keep those of another waiting. */
  #hasCellFor({ party }: ClientOwner): boolean {
    if (this.#cells.size >= this.#most) return false
    for (const { owner } of this.#cells) if (owner.party === party) return false
    return true
  }
}

/** Milliseconds between two looks for clients whose time apart is over. */
const lookEvery = 10_000

/** A client that there cannot be now. */
function refused(listener: ClientListener): WorkerClient {
  setImmediate(() => listener.workerEnded('quarantined'))
  const line = { ask: () => Promise.reject(new Error('the client is put apart')) }
  return { line, close: () => Promise.resolve() }
}
