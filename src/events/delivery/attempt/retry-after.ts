/** The longest wait that a receiver may ask for, in seconds. */
const longest = 24 * 3_600

/** The three forms of an HTTP date (RFC 9110 section 5.6.7), all of them in GMT; the last one does not say so. */
const dates = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
]

/**
 * Returns the seconds for which a receiver asks to be left alone (RFC 9110 section 10.2.3), counted from now and at most a
 * day; null if it does not ask, or the header is malformed. `now` is in milliseconds since the epoch.
 */
export function retryAfter(header: string | undefined, now: number): number | null {
  const seconds = header === undefined ? Number.NaN : secondsIn(header, now)
  return Number.isNaN(seconds) ? null : Math.min(Math.max(0, seconds), longest)
}

function secondsIn(header: string, now: number): number {
  if (/^\d+$/.test(header)) return Number(header)
  if (!dates.some((form) => form.test(header))) return Number.NaN
  const at = Date.parse(header.endsWith('GMT') ? header : `${header} GMT`)
  return Math.ceil((at - now) / 1_000)
}
