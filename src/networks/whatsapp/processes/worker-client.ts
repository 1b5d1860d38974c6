import type { Answers, RpcChannel } from './rpc-channel.ts'
import type { AskServer, AskWorker, WorkerClientEvent } from './worker-protocol.ts'

/** Why a process is gone. */
export type ProcessEnd = 'worker_crashed' | 'worker_silent' | 'worker_out_of_memory' | 'library_missing'

/** The holder of a client. */
export interface ClientListener {
  readonly answers: Answers<AskServer>
  event(event: WorkerClientEvent): void
  /** The process of the client ended, there cannot be one, or the client must have another one. */
  workerEnded(why: ProcessEnd | 'quarantined' | 'quarantine_over'): void
}

/** A client as its holder sees it. */
export interface WorkerClient {
  readonly line: Pick<RpcChannel<AskServer, AskWorker>, 'ask'>
  /** Ends without logging out; resolves when the connection is gone. Nothing is heard from it again. */
  close(): Promise<void>
}

/** The owner of a client. */
export interface ClientOwner {
  readonly instance: string
  /** Of the organization. */
  readonly party: string
}
