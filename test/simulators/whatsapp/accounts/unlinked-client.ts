import type { Connection } from '../connection.ts'
import type { CompanionFinish, CompanionHello } from '../signal/pairing-code.ts'
import type { ClientKeys } from './device.ts'

/** A client that wants to be linked. */
export interface UnlinkedClient {
  readonly connection: Connection
  readonly keys: ClientKeys
  /** Until when its refs can be scanned, in milliseconds since 1970. */
  readonly until: number
  /** Takes what the client has signed; there as long as the client is to sign. */
  signed: ((identity: Uint8Array) => void) | undefined
  /** Rejects what waits for the client. */
  abort: ((reason: Error) => void) | undefined
  /** The phone number for which it shows a code, and what it has said with it. */
  code: { readonly pn: string; readonly hello: CompanionHello } | undefined
  /** Takes what the client sends after the code was entered. */
  finished: ((finish: CompanionFinish) => void) | undefined
}
