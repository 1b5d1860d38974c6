import type { Fetched, FetchRequest } from '../../../net/fetch/fetch.ts'

/** Received files that only the connection of the account can reach. */
export interface FileAccess {
  /**
   * Opens a received file that was reported by `reference`, perhaps by an earlier process. Rejects with a `NetFailure`.
   * Present if the driver reports such files.
   */
  open?(reference: string, request: FileRequest): Promise<Fetched>
  /**
   * Returns the address at which the account's server keeps a received file: if `url` leads to its own upload service, at a
   * private address that is also the connection's, this address; otherwise null. Never rejects. Present if accounts have such a
   * server.
   */
  ownAddress?(url: URL): Promise<string | null>
}

/** The file must have at most `largest` bytes. */
export type FileRequest = Pick<FetchRequest, 'largest' | 'signal'>
