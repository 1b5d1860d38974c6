import type { Operation } from '../../contract/operation.ts'

const json = 'application/json'
const eventStream = 'text/event-stream'

/** The media types of an operation's responses, except for event streams; the usual one first. */
export function offeredBy({ responses }: Operation): readonly string[] {
  const known = Object.values(responses).flatMap(({ body, media }) => [
    ...(body ? [json] : []),
    ...Object.keys(media ?? {}),
  ])
  return [...new Set(known)].filter((mediaType) => mediaType !== eventStream)
}

/**
 * Returns the offered media type that a caller prefers by the header `Accept` (RFC 9110, section 12.5.1): the first of those
 * that they like equally. Undefined if they accept none. A caller who names only problems gets the usual one.
 */
export function preferred(accept: string | undefined, offered: readonly string[]): string | undefined {
  if (accept === undefined) return offered[0]
  const ranges = accept.toLowerCase().split(',').map(readRange)
  const liked = offered.map((mediaType) => ({ mediaType, quality: qualityOf(mediaType, ranges) }))
  const best = Math.max(...liked.map(({ quality }) => quality))
  if (best > 0) return liked.find(({ quality }) => quality === best)?.mediaType
  return ranges.every(({ range }) => range === 'application/problem+json') ? offered[0] : undefined
}

interface Range {
  readonly range: string
  readonly quality: number
}

function readRange(text: string): Range {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim())
  const quality = parameters.find((parameter) => parameter.startsWith('q='))
  return { range, quality: quality === undefined ? 1 : Number(quality.slice(2)) || 0 }
}

/** Returns the quality in the most specific range that names the media type. */
function qualityOf(mediaType: string, ranges: readonly Range[]): number {
  const names = [mediaType, `${mediaType.split('/')[0]}/*`, '*/*']
  for (const name of names) {
    const found = ranges.find(({ range }) => range === name)
    if (found) return found.quality
  }
  return 0
}
