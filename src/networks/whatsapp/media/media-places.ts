/** Host of WhatsApp's files if no other is known. */
export const usualMediaHost = 'mmg.whatsapp.net'

/** Origin that a browser sends with a request for a file. */
export const mediaOrigin = 'https://web.whatsapp.com'

/** In UTF-16 units. */
const longestPath = 1024

/**
 * True for the path at which a file is, with a query. Senders name it, so it must not lead to another host, nor out of its folder.
 */
export function isDirectPath(path: string): boolean {
  if (path.length > longestPath || !/^\/[\w.~%!$&'()*+,;=:?/-]+$/.test(path)) return false
  const [folder = ''] = path.split('?', 1)
  return !folder.includes('//') && !/(^|\/)(\.|%2e){1,2}(\/|$)/i.test(folder)
}

/** True for the name of a host, perhaps with a port. */
export function isMediaHost(host: string): boolean {
  return /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?(?::[1-9][0-9]{0,4})?$/.test(host)
}
