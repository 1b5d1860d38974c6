/** Characters that are not seen, such as those around a number that was copied from an app (Unicode Standard Annex 9). */
const unseen = /\p{Cf}/gu

/**
 * Returns what may be a phone number in plain characters: its `tel:` (RFC 3966) taken off, and with the spaces, hyphens, plus sign and
 * digits of full width that other keyboards, and programs that typeset numbers, write. It says nothing about whether it is a number.
 */
export function plainlyWritten(input: string): string {
  const number = /^tel:/i.test(input) ? input.slice('tel:'.length) : input
  if (/^[ -~]*$/.test(number) || number.length > 100) return number
  return number
    .normalize('NFKC')
    .replace(unseen, '')
    .replace(/\p{Zs}/gu, ' ')
    .replace(/[\p{Pd}\u2212]/gu, '-')
}
