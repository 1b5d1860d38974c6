import { invalid } from '../contract/problem.ts'
import type { StartLink } from '../contract/resources/instance.ts'
import type { LinkWay } from '../networks/driver.ts'

/** How somebody wants to link the account, by what they sent; throws the problem of a phone number that does not fit. */
export function linkWayOf({ kind = 'qr', phone }: StartLink): LinkWay {
  if (kind === 'qr') {
    if (phone === undefined) return { kind }
    const detail =
      'A QR code needs no phone number. Leave it out, or send `kind` `code` for a code to type in.'
    throw invalid({ pointer: '/phone', code: 'requires_kind_code', detail })
  }
  if (phone === undefined) {
    const detail = 'The code is for the app on one phone: send its number.'
    throw invalid({ pointer: '/phone', code: 'missing', detail })
  }
  return { kind, phone: digitsOf(phone) }
}

/** The digits of a phone number with its country code; E.164 has at most 15. */
function digitsOf(phone: string): string {
  const digits = phone.trim().replace(/^\+/, '').replace(/[ .-]/g, '')
  if (/^[1-9]\d{6,14}$/.test(digits)) return digits
  const detail =
    'Send the number with its country code, for example `+49 151 12345678`: 7 to 15 digits, the first of which is not 0; `+`, spaces, ' +
    'dots and hyphens are ignored.'
  throw invalid({ pointer: '/phone', code: 'wrong_form', detail })
}
