import { shortenName } from '../../media/content/file-name.ts'
import type { FileAtUrl } from '../driver/observation.ts'

/** In UTF-16 units. */
const longestUrl = 8_000

/**
 * Returns a file that was received as a URL, named after the last part of its path; null if it cannot be fetched: the URL is
 * neither `https` nor `http`, is too long, or contains a user name and a password, which would be exposed wherever the URL
 * is shown.
 */
export function fileAt(written: string): FileAtUrl | null {
  const url = URL.parse(written)
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return null
  if (url.href.length > longestUrl || url.username !== '' || url.password !== '') return null
  return { url: url.href, filename: nameIn(url) || null, mime_type: null }
}

function nameIn({ pathname }: URL): string {
  const part = pathname.slice(pathname.lastIndexOf('/') + 1)
  const name = decoded(part)
    .replace(/^.*[/\\]/s, '')
    .replace(/\p{Cc}/gu, '')
  return shortenName(name)
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
