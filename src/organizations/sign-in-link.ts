import type { Store } from '../store/store.ts'
import { createSignInCode } from './session-store.ts'
import { newSessionToken } from './sessions.ts'

/**
 * Makes a link that signs one browser in, once, for an owner: the id of a key, or `operator`. Undefined if the key does not
 * live. The code stands in the fragment, which browsers never send, so it is in no log.
 */
export async function makeSignInLink(
  store: Pick<Store, 'transact'>,
  { owner, baseUrl, now }: { readonly owner: string; readonly baseUrl: string; readonly now: number },
): Promise<string | undefined> {
  const { token, digest } = newSessionToken()
  const created = await store.transact(createSignInCode, { digest, owner, now })
  return created ? `${baseUrl}/console#code=${token}` : undefined
}
