/** The proof with which a person signs in, as the server takes it. */
export type Proof = { readonly key: string } | { readonly code: string } | { readonly operator_token: string }

const linkForm = /#code=([\w-]+)$/
const customersLink = /#phl_|^phl_/

/**
 * Reads what a person pasted as their key: the key, the operator's token, a line of a header, or a whole sign-in link. Null if it is
 * the link with which a customer links an account.
 */
export function proofIn(pasted: string): Proof | null {
  const text = pasted
    .trim()
    .replace(/^(authorization:\s*)?bearer\s+/i, '')
    .replaceAll(/^["'`]|["'`]$/g, '')
  if (customersLink.test(text)) return null
  const code = linkForm.exec(text)?.[1]
  if (code !== undefined) return { code }
  return text.startsWith('phk_') ? { key: text } : { operator_token: text }
}
