/** Where the server is reached: a proxy may serve everything under a path prefix. */
export const serverUrl = new URL('.', location.href.split('#')[0]?.replace(/\/$/, ''))

/** Where the session of this browser is asked for, begun and ended. */
export function sessionUrl(): URL {
  return new URL('console/session', serverUrl)
}
