import type { IncomingHttpHeaders } from 'node:http'

/** Headers in which other APIs take their keys. */
const otherHeaders = {
  apikey: 'apikey',
  'api-key': 'Api-Key',
  'x-api-key': 'X-Api-Key',
  'x-api-token': 'X-Api-Token',
  'x-auth-token': 'X-Auth-Token',
  'x-access-token': 'X-Access-Token',
} as const

const right = 'Send `Authorization: Bearer phk_…`'

/** The same for every key that opens nothing, so that none can be told from another. */
const notKnown =
  'This server does not know the key: it is incomplete, revoked, or of another server. Send `Authorization: Bearer phk_…` ' +
  'with a complete key that exists and is not revoked. The operator makes one with `npx posthorn keys create`.'

const noKey =
  'The request has no key. Send `Authorization: Bearer phk_…` with a complete key that exists and is not revoked. The first ' +
  'admin key is in `admin.key` in the data folder.'

/** Returns the fault of a request that has no valid key. It does not repeat the key. */
export function keyFault(headers: IncomingHttpHeaders): string {
  const isThere = (headers.authorization ?? '').trim() !== ''
  return misplacedKey(headers) ?? (isThere ? notKnown : noKey)
}

/**
 * Returns the fault in the way a key was sent; undefined if there is none. It is told by the form of the request alone, so
 * that it reveals nothing about existing keys, and it does not repeat the key.
 */
export function misplacedKey(headers: IncomingHttpHeaders): string | undefined {
  const { authorization } = headers
  if (authorization === undefined || authorization.trim() === '') {
    const [, name] = Object.entries(otherHeaders).find(([header]) => headers[header] !== undefined) ?? []
    return name && `The key came in the header \`${name}\`, which is not read. ${right} instead.`
  }
  const [scheme = '', ...words] = authorization.trim().split(/\s+/, 3)
  if (/^ph[ko]_/.test(scheme))
    return `The word \`Bearer\` is missing before the key. ${right}, with one space between them.`
  if (/^bearer$/i.test(scheme)) {
    if (words.length === 0) return `No key follows the word \`Bearer\`. ${right}.`
    return words.length > 1
      ? `More than one word follows the word \`Bearer\`. ${right}, and nothing else.`
      : undefined
  }
  const known = schemes.find((name) => name.toLowerCase() === scheme.toLowerCase()) ?? 'another one'
  return `The scheme of the header \`Authorization\` is ${known}, and must be Bearer. ${right}, with the key as it is: neither encoded nor with a user name.`
}

/** Schemes that may be named because the server knows them; anything else could be a secret. */
const schemes = ['Basic', 'Digest', 'Token', 'ApiKey', 'Key', 'Negotiate'] as const
