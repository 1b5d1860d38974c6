/** The sessions of browsers that somebody signed in with a key. */
export interface SessionsTable {
  /** SHA-256 of the token in the cookie, in hexadecimal. The token itself is nowhere. */
  digest: string
  key_id: string
  created_at: number
  /** Moves on while the session is used. */
  expires_at: number
}

/** Codes that sign a browser in once, without the key. */
export interface SignInCodesTable {
  /** SHA-256 of the code, in hexadecimal. The code itself is nowhere. */
  digest: string
  key_id: string
  created_at: number
  expires_at: number
}
