/**
 * The name that a server suggests for a file (RFC 6266), or the last part of the URL's path. Unchecked: it may be
 * a path, contain anything, and be as long as the header. Undefined if neither has a name.
 */
export function suggestedFilename(disposition: string | undefined, url: URL): string | undefined {
  return (disposition && named(disposition)) || lastPart(url) || undefined
}

const extended = /;\s*filename\*\s*=\s*"?utf-8'[^']*'([^\s;"]+)/i
const plain = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i

/** The extended form (RFC 8187) takes precedence over the plain one, which is a fallback for older clients. */
function named(disposition: string): string | undefined {
  const encoded = extended.exec(disposition)?.[1]
  const decoded = encoded && percentDecoded(encoded)
  if (decoded) return decoded
  const [, quoted, token] = plain.exec(disposition) ?? []
  const name = quoted?.replaceAll(/\\(.)/g, '$1') ?? token
  return name && headerText(name)
}

function lastPart({ pathname }: URL): string {
  const part = pathname.slice(pathname.lastIndexOf('/') + 1)
  return percentDecoded(part) ?? part
}

function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** The text of a header: servers put UTF-8 there, which Node reads as Latin-1; anything else was meant as Latin-1. */
export function headerText(value: string): string {
  const bytes = Buffer.from(value, 'latin1')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return value
  }
}
