/** The base URL of the server: a proxy may serve everything under a path prefix. */
export const serverUrl = new URL('.', location.href.split('#')[0]?.replace(/\/$/, ''))

/** Returns the URL at which the session of this browser is read, begun and ended. */
export function sessionUrl(): URL {
  return new URL('console/session', serverUrl)
}
