import type { ParsedAddress } from '../driver.ts'
import { type RecipientScript, recipientScript, recipientScripts } from './script.ts'

const domain = '.sandbox'

/** The part before the `@`: a name of up to 64 letters, digits, dots, underscores, plus signs and hyphens. */
export const namePattern = '[a-z0-9][a-z0-9._+-]{0,63}'

const shape = new RegExp(`^(${namePattern})@([a-z0-9-]{1,32})\\${domain}$`, 'i')

/** Checks an address of the sandbox and converts it to lower case. */
export function parseAddress(input: string): ParsedAddress {
  const behaviour = shape.exec(input)?.[2]
  if (!behaviour) {
    return { ok: false, detail: 'An address of the sandbox looks like name@delivers.sandbox.' }
  }
  if (!recipientScript(behaviour.toLowerCase())) {
    const known = recipientScripts.map((script) => script.behaviour).join(', ')
    return { ok: false, detail: `The sandbox has no such behaviour; it knows ${known}.` }
  }
  return { ok: true, address: input.toLowerCase() }
}

/** The address of a recipient with this name and behaviour. */
export function addressOf(name: string, behaviour: string): string {
  return `${name}@${behaviour}${domain}`
}

/** The script for a normalised address; undefined if the address was never parsed. */
export function scriptOf(address: string): RecipientScript | undefined {
  return recipientScript(address.slice(address.indexOf('@') + 1, -domain.length))
}
