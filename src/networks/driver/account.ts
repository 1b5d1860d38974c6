/** The settings of an instance, in the form that its driver describes (`Driver.settings`). */
export type Settings = Readonly<Record<string, unknown>>
/** The credentials of an instance, in the form that its driver describes (`Driver.credentials`), with what the driver saved beside them. */
export type SealedCredentials = Readonly<Record<string, unknown>>

/** A fault in settings or credentials; the pointer (RFC 6901) is relative to the request body. */
export interface SettingsFault {
  readonly pointer: string
  readonly code: string
  readonly detail: string
}

/** The credentials of the instance of one connection. */
export interface CredentialsAccess {
  read(): SealedCredentials
  /** Durable when the promise resolves. Rejects when this node no longer owns the instance. */
  save(credentials: SealedCredentials): Promise<void>
}
