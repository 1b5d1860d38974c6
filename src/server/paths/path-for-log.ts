/** Words and ids as the contract has them; every secret is longer, and what an encoding hides is not made of these alone. */
const plainSegment = /^[\w.~-]{0,31}$/

/** Returns the path with `[redacted]` for each segment that may be a key put there by mistake, in any encoding. */
export function pathForLog(url: string): string | undefined {
  const segments = url.split('?')[0]?.split('/')
  return segments
    ?.map((segment) => (plainSegment.test(segment) ? segment : '[redacted]'))
    .join('/')
    .slice(0, 300)
}
