import type { CheckedClient } from '../test/kit/http/checked-client.ts'

/** A simulated network, and a conversation over it. */
export interface NetworkDemo {
  readonly title: string
  start(): Promise<RunningNetwork>
}

export interface RunningNetwork {
  readonly url: string
  /** The settings with which Posthorn finds it. */
  readonly environment: Readonly<Record<string, string>>
  /** Recipient of the messages. */
  readonly recipient: string
  converse(server: Server): Promise<void>
  stop(): Promise<void>
}

export interface Server {
  readonly url: string
  readonly admin: CheckedClient
}
