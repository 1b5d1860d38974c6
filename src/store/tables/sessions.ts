/** Sessions of browsers that a person signed in. */
export interface SessionsTable {
  /** SHA-256 of the token in the cookie, in hexadecimal. The token itself is nowhere. */
  digest: string
  /** The id of the key that signed it in or, if the operator did, the SHA-256 of the operator's token. */
  owner: string
  created_at: number
  /** Moves on while the session is used. */
  expires_at: number
}

/** Codes that sign a browser in once, without a key. */
export interface SignInCodesTable {
  /** SHA-256 of the code, in hexadecimal. The code itself is nowhere. */
  digest: string
  /** The id of a key, or `operator`. */
  owner: string
  created_at: number
  expires_at: number
}
