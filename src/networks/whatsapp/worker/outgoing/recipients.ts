import { isJidGroup, isLidUser, jidNormalizedUser, type WASocket } from 'baileys'
import type { ContactKnown } from '../../../driver/observation.ts'
import { addressOf } from '../../address.ts'
import { moveContactTokens } from '../baileys/contact-tokens.ts'
import { userOf } from '../baileys/signal.ts'
import { Cache } from '../cache.ts'
import type { Keys } from '../keys.ts'

/** Numbers that are remembered, and the milliseconds for which they are. */
const rememberedNumbers = 1_000
const rememberedFor = 10 * 60 * 1000

/** A person or a group, as they are addressed. */
export interface Recipient {
  readonly jid: string
  /** The phone number that belongs to it, if that was given. */
  readonly number: string | null
}

export interface RecipientsOptions {
  readonly sock: WASocket
  readonly keys: Keys
  readonly report: (contact: ContactKnown) => void
}

/** Finds out how the recipients of messages are addressed. */
export class Recipients {
  readonly #options: RecipientsOptions
  /** Numbers without an account. */
  readonly #withoutAccount = new Cache(rememberedNumbers, rememberedFor)
  /** Numbers whose LID was told, so that receipts from it are known to be theirs. */
  readonly #told = new Cache(rememberedNumbers, rememberedFor)

  constructor(options: RecipientsOptions) {
    this.#options = options
  }

  /**
   * Returns the recipient. Contacts are addressed by their LID: WhatsApp refuses a message to the phone number of a contact
   * that has one. Null if the number has no account.
   */
  async of(jid: string): Promise<Recipient | null> {
    if (isJidGroup(jid) || isLidUser(jid)) return { jid, number: null }
    if (this.#withoutAccount.get(jid)) return null
    const lid = (await this.storedLidOf(jid)) ?? (await this.#lookUp(jid))
    if (lid === null) return null
    this.#tell(jid, lid)
    return { jid: lid, number: jid }
  }

  /** The LID of a phone number, if it is known. */
  storedLidOf(jid: string): Promise<string | null> {
    return storedLidOf(this.#options.keys, jid)
  }

  async #lookUp(jid: string): Promise<string | null> {
    const { sock } = this.#options
    const found = await sock.onWhatsApp(jid)
    if (!found) throw new Error('WhatsApp did not say whether the number has an account.')
    const account = found.find(({ exists }) => exists)
    if (!account) {
      this.#withoutAccount.set(jid, true)
      return null
    }
    const lid = await sock.signalRepository.lidMapping.getLIDForPN(jidNormalizedUser(account.jid))
    if (!lid) throw new Error('WhatsApp did not say by which LID the number is addressed.')
    const known = jidNormalizedUser(lid)
    await moveContactTokens(this.#options.keys, [{ number: jid, lid: known }])
    return known
  }

  #tell(jid: string, lid: string): void {
    const addresses = [lid, jid].map(addressOf).filter((address) => address !== null)
    if (addresses.length < 2 || this.#told.get(jid)) return
    this.#told.set(jid, true)
    this.#options.report({ kind: 'contact-known', addresses })
  }
}

/** The LID of a phone number, if it is known. */
export async function storedLidOf(keys: Keys, jid: string): Promise<string | null> {
  const user = userOf(jid)
  const lid = (await keys.read('lid-mapping', [user])).get(user)
  return typeof lid === 'string' ? `${lid}@lid` : null
}
