/** A PostgreSQL database that a server cannot start on: `what` happened, and what to do `next`. */
export class DatabaseUnusable extends Error {
  override readonly name = 'DatabaseUnusable'
  readonly what: string
  readonly next: string

  constructor(what: string, next: string, cause: unknown) {
    super(`${what}; ${next}`, { cause })
    this.what = what
    this.next = next
  }
}

const setting = 'POSTHORN_DATABASE_URL'
const serverAdvice = `start that server, or correct the host and port in ${setting}`

/** Advice to the operator, by the code of the system, of TLS, or of PostgreSQL (SQLSTATE, appendix A of its manual). */
const advice: Readonly<Record<string, string>> = {
  ECONNREFUSED: serverAdvice,
  ETIMEDOUT: serverAdvice,
  EHOSTUNREACH: serverAdvice,
  ENETUNREACH: serverAdvice,
  ECONNRESET: serverAdvice,
  ENOTFOUND: `correct the host in ${setting}`,
  EAI_AGAIN: `correct the host in ${setting}, or the name server of this machine`,
  '28P01': `correct the user and the password in ${setting}`,
  '28000': `correct the user in ${setting}, or allow it in pg_hba.conf on that server (if the server requires TLS, add ?sslmode=verify-full)`,
  '3D000': `create the database on that server, or correct its name in ${setting}`,
  '42501': `make the user in ${setting} the owner of the database, or grant it CREATE on its schema`,
  '53300': 'raise max_connections on that server, or close other connections to it',
  '57P03': 'wait until that server has started',
  DEPTH_ZERO_SELF_SIGNED_CERT: `name the server's certificate with ?sslrootcert=FILE in ${setting}`,
  SELF_SIGNED_CERT_IN_CHAIN: `name the server's authority with ?sslrootcert=FILE in ${setting}`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `name the server's authority with ?sslrootcert=FILE in ${setting}`,
  CERT_HAS_EXPIRED: 'renew the certificate of that server',
  ERR_TLS_CERT_ALTNAME_INVALID: `write the host in ${setting} as it is in the server's certificate`,
}

/** Why a start on the database failed, with its address but without user and password. */
export function databaseUnusable(error: unknown, url: string): DatabaseUnusable {
  if (error instanceof DatabaseUnusable) return error
  const { host, pathname } = new URL(url)
  const { message, code } = error as Error & { code?: string }
  // An error that came through the store has its code in its text.
  const found = code ?? /\((?:SQLSTATE )?([0-9A-Z]{5})\)$/.exec(message)?.[1] ?? ''
  const what = `PostgreSQL at ${host}${pathname} cannot be used: ${(message || found).replace(/[.\s]+$/, '')}`
  return new DatabaseUnusable(what, advice[found] ?? otherAdvice(message), error)
}

function otherAdvice(message: string): string {
  if (/timeout/i.test(message)) return serverAdvice
  if (/SSL/.test(message)) return `enable TLS on that server, or remove sslmode from ${setting}`
  return `correct ${setting}, or the configuration of that server`
}
