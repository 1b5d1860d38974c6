import type { FoundAddress } from '../../driver/abilities/checking.ts'
import { addressOf, parseAddress } from '../address.ts'
import { firstPart, partsOf, type Stanza, textOf } from './stanza.ts'

/** Answers that are looked at: WhatsApp gives one for each number. */
const maxUsers = 200

/** Bytes of a phone number, as it was asked for. */
const longestNumber = 64

/**
 * Reads which phone numbers have an account (`usync` with `contact`, as in `IsOnWhatsApp` of whatsmeow). `asked`: the normalized addresses.
 * WhatsApp may know a person by another number, as in Brazil, where mobile numbers grew by a digit. Null if the answer makes no sense.
 */
export function foundAccountsIn(answer: Stanza, asked: readonly string[]): FoundAddress[] | null {
  const list = firstPart(firstPart(answer, 'usync'), 'list')
  if (!list) return null
  const open = new Set(asked)
  return partsOf(list, 'user')
    .slice(0, maxUsers)
    .flatMap((user) => {
      const contact = firstPart(user, 'contact')
      const address = addressOf(user.attrs.jid ?? '')
      const said = parseAddress(textOf(contact, longestNumber) ?? '')
      const number = said.ok ? said.address : address
      const exists = stateOf(contact?.attrs.type)
      if (number === null || exists === null || !open.delete(number)) return []
      const isOther = exists === 'yes' && address !== null && address !== number
      return [{ asked: number, exists, ...(isOther && { canonical: address }) }]
    })
}

function stateOf(type: string | undefined): 'yes' | 'no' | null {
  if (type === 'in') return 'yes'
  return type === 'out' ? 'no' : null
}
