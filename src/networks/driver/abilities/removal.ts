import type { CredentialsAccess, Settings } from '../account.ts'

/** A network at which something must be undone when an instance is removed. */
export interface Removal {
  /**
   * True if that is so for an instance with these settings and credentials. Reading the credentials throws if they no longer open, so
   * it reads them only if the settings do not decide.
   */
  isNeeded(settings: Settings, credentials: Pick<CredentialsAccess, 'read'>): boolean
}

/**
 * Undoes it through the connection of the instance, for which `Removal.isNeeded`; while that is being opened, it waits. Resolves to true
 * if the network confirmed, and to false if it cannot be reached now; then it is called again later.
 */
export type Remove = () => Promise<boolean>
