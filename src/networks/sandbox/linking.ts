/** What a person is shown while an account is linked, and the credentials that the sandbox issues afterwards. */

const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

function pick(random: () => number, count: number): string {
  let text = ''
  for (let index = 0; index < count; index++) text += letters[Math.floor(random() * letters.length)]
  return text
}

/** The content of a QR code. */
export function qrValue(random: () => number): string {
  return `sandbox-link:${pick(random, 24)}`
}

/** A code to type, in two groups. */
export function codeValue(random: () => number): string {
  return `${pick(random, 4)}-${pick(random, 4)}`
}

/** The token with which a linked account authenticates. */
export function tokenValue(random: () => number): string {
  return `linked-${pick(random, 24)}`
}
