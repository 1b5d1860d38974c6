import { bigint, textColumn } from './columns.ts'

export const sessionTables = {
  /** Sessions of browsers that a person signed in. */
  sessions: {
    /** SHA-256 of the token in the cookie, in hexadecimal. The token itself is nowhere. */
    digest: textColumn(),
    /** The id of the key that signed it in or, if the operator did, the SHA-256 of the operator's token. */
    owner: textColumn(),
    created_at: bigint(),
    /** Moves on while the session is used. */
    expires_at: bigint(),
  },
  /** Codes that sign a browser in once, without a key. */
  sign_in_codes: {
    /** SHA-256 of the code, in hexadecimal. The code itself is nowhere. */
    digest: textColumn(),
    /** The id of a key, or `operator`. */
    owner: textColumn(),
    created_at: bigint(),
    expires_at: bigint(),
  },
}
