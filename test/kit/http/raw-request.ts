import type { Posthorn } from '../posthorn.ts'
import type { RawReply } from './checked-client.ts'

/** Sends exactly this body, with the admin key; as JSON unless the headers say otherwise. The reply is checked like any. */
export function rawRequest(
  posthorn: Posthorn,
  [method, path]: readonly [method: string, path: string],
  body?: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<RawReply> {
  return posthorn.client().rawRequest(method, path, {
    headers: {
      authorization: `Bearer ${posthorn.adminKey}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  })
}

/** The code of the problem, or the status if it is not one. */
export function codeOf(reply: RawReply): string {
  return (reply.json as { code?: string } | undefined)?.code ?? `${reply.status}`
}

/** The invalid values that a problem names, each as `pointer code`. */
export function faultsOf({ json }: RawReply): string[] {
  const { errors = [] } = json as { errors?: { pointer: string; code: string }[] }
  return errors.map(({ pointer, code }) => `${pointer} ${code}`)
}
