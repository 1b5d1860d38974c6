import { readFileSync } from 'node:fs'
import { deserialize } from 'node:v8'
import type { SealedCredentials } from '../../../src/networks/driver/account.ts'
import type { ConnectContext } from '../../../src/networks/driver/connection.ts'
import type { Driver } from '../../../src/networks/driver/driver.ts'
import type { KeyStore } from '../../../src/networks/driver/keys.ts'
import { WhatsAppConnection } from '../../../src/networks/whatsapp/connection.ts'
import { whatsapp } from '../../../src/networks/whatsapp/driver.ts'
import { ImageMemory } from '../../../src/networks/whatsapp/media/image-memory.ts'
import { ownIdFrom } from '../../../src/networks/whatsapp/message-id.ts'
import type { ClientSettings } from '../../../src/networks/whatsapp/processes/worker-protocol.ts'
import { Workers } from '../../../src/networks/whatsapp/processes/workers.ts'
import { memoryKeys } from '../../kit/networks/memory-keys.ts'
import { ObservedConnection } from '../../kit/networks/observed-connection.ts'
import type { Received } from '../../simulators/whatsapp/people/inbox.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../simulators/whatsapp/start-whatsapp.ts'
import { present } from './fixture.ts'
import type { Account, Arrival, ArrivedAbout, Harness, UnlinkedAccount } from './harness.ts'
import { conformance } from './suite.ts'

/** Accounts that are linked at the beginning. Hardly a law needs more at a time. */
const linkedAtFirst = 4

const nowhere: ClientSettings = {
  server: 'wss://127.0.0.1:9/ws/chat',
  ca: null,
  rootKey: null,
  version: null,
  browser: ['Posthorn', 'Chrome', '140.0'],
  allowedCidrs: ['127.0.0.0/8'],
}

/** The far end is a simulator with people and their phones. Accounts are linked once, and used again by later laws. */
class WhatsAppHarness implements Harness {
  readonly confirms = ['delivered', 'read'] as const
  readonly spellings = [
    { written: '+4915112345678', address: '+4915112345678' },
    { written: '+49 (151) 123-456.78', address: '+4915112345678' },
    { written: '0049 151 12345678', address: '+4915112345678' },
    { written: '4915112345678@s.whatsapp.net', address: '+4915112345678' },
    { written: '123456789012345:7@LID', address: '123456789012345@lid' },
    { written: '120363021033254949@g.us', address: '120363021033254949@g.us' },
  ]
  readonly driver: Driver = {
    ...whatsapp({ ...nowhere, workers: 1 }),
    connect: (context) => this.#connect(context),
  }
  readonly #workers = new Workers(1)
  readonly #images = new ImageMemory()
  /** The number of the phone that each account belongs to, by its keys. */
  readonly #phones = new Map<KeyStore, string>()
  readonly #unreachable = new Set<KeyStore>()
  readonly #free: Promise<Account>[] = []
  /** The accounts with a message that stays without an answer. */
  readonly #waiting = new Set<Account>()
  #whatsapp: WhatsAppProcess | null = null
  #settings = nowhere
  #people = 0
  #stopped = false

  get #control(): WhatsAppProcess['control'] {
    return present(this.#whatsapp ?? undefined).control
  }

  #connect(context: ConnectContext): WhatsAppConnection {
    const client = this.#unreachable.has(context.keys) ? nowhere : this.#settings
    return new WhatsAppConnection(context, { workers: this.#workers, client, images: this.#images })
  }

  async start(): Promise<void> {
    this.#whatsapp = await startWhatsApp({ after: () => {} })
    const { url, rootKey, caFile } = this.#whatsapp
    this.#settings = { ...nowhere, server: url, rootKey, ca: readFileSync(caFile, 'utf8') }
    for (let index = 0; index < linkedAtFirst; index++) this.#free.push(this.#newLinked())
    await Promise.all(this.#free)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#free)
    await this.#whatsapp?.stop()
  }

  async newAccount(): Promise<Account> {
    return (await this.#free.shift()) ?? (await this.#newLinked())
  }

  takeBack(account: Account, credentials: SealedCredentials): void {
    const keys = account.link?.keys
    const isLinked = this.driver.linking?.isLinked(account.settings, credentials)
    if (!keys || !isLinked || this.#unreachable.has(keys)) return
    const next = { ...account, link: { credentials, keys } }
    this.#free.push(this.#control.forgetWaiting({ person: this.#phoneOf(account) }).then(() => next))
  }

  async #newLinked(): Promise<Account> {
    const { account, ...person } = await this.unlinkedAccount()
    const { settings, credentials } = account
    const keys = present(account.link).keys
    const linking = new ObservedConnection(this.driver, { settings, credentials, keys })
    await person.link((await linking.sees('link-step')).step)
    await linking.sees('caught-up')
    await linking.close()
    await this.#control.forgetWaiting({ person: this.#phoneOf(account) })
    const link = { credentials: present(linking.saved.at(-1)), keys }
    return { settings, credentials, secrets: await secretsIn(keys), link }
  }

  async unlinkedAccount(): Promise<UnlinkedAccount> {
    const phone = await this.#newPerson()
    const keys = memoryKeys()
    this.#phones.set(keys, phone)
    return {
      account: { settings: {}, credentials: {}, secrets: [], link: { credentials: {}, keys } },
      phone,
      link: async ({ kind, value }) => {
        if (kind === 'qr') await this.#control.scan({ person: phone, qr: value })
        else await this.#control.enterCode({ person: phone, code: value.replace('-', '') })
      },
    }
  }

  async refusedAccount(): Promise<Account> {
    const account = await this.newAccount()
    await this.unlink(account)
    return account
  }

  async unlink(account: Account): Promise<void> {
    const person = this.#phoneOf(account)
    for (const { device } of await this.#control.devices({ person }))
      await this.#control.unlink({ person, device })
  }

  async takeOver(account: Account): Promise<void> {
    await this.#control.replace({ person: this.#phoneOf(account) })
  }

  async unreachableAccount(): Promise<Account> {
    const account = await this.newAccount()
    this.#unreachable.add(present(account.link).keys)
    return account
  }

  removableAccount(): Promise<Account> {
    return this.newAccount()
  }

  async newRecipient(arrived: (arrival: Arrival) => void): Promise<string> {
    const phone = await this.#newPerson()
    await this.#control.change({ person: phone, reads: true })
    void this.#watch(phone, arrived)
    return `+${phone}`
  }

  /** Tells what comes to a phone, every copy of it. */
  async #watch(person: string, arrived: (arrival: Arrival) => void): Promise<void> {
    const told = new Map<string, number>()
    for (let times = 0; !this.#stopped; ) {
      const shown = await this.#control.arrived({ person, times: times + 1 }).catch(() => [])
      for (const received of shown) {
        const known = told.get(received.id) ?? 0
        for (let copy = known; copy < received.copies; copy++) arrived(arrivalOf(received))
        told.set(received.id, received.copies)
        times += received.copies - known
      }
    }
  }

  async unknownRecipient(): Promise<string> {
    return '+4915100000000'
  }

  async unanswered(account: Account): Promise<string> {
    await this.#control.loseMessages({ person: this.#phoneOf(account) })
    this.#waiting.add(account)
    return `+${await this.#newPerson()}`
  }

  async cut(account: Account): Promise<void> {
    // Before the message, questions about its recipient go out, which would leave it unsent.
    if (this.#waiting.delete(account)) await this.#control.lost({ person: this.#phoneOf(account) })
    await this.#control.disturb({ person: this.#phoneOf(account), fault: { kind: 'cut' } })
  }

  async writeTo(account: Account, text: string): Promise<string> {
    const from = await this.#newPerson()
    await this.#control.write({ from, to: this.#phoneOf(account), text })
    return `+${from}`
  }

  writeToAbsent(account: Account, text: string): Promise<string> {
    return this.writeTo(account, text)
  }

  /** A person writes as people did before there were LIDs, and then from a LID that hides the number. */
  async writeFromEach(account: Account, text: string): Promise<readonly string[]> {
    const from = await this.#newPerson()
    const to = this.#phoneOf(account)
    await this.#control.write({ from, to, text, addressing: 'pn' })
    await this.#control.change({ person: from, hidesNumber: true })
    await this.#control.write({ from, to, text })
    return [`9${from}7@lid`, `+${from}`]
  }

  async sendElsewhere(account: Account, text: string): Promise<string> {
    const to = await this.#newPerson()
    await this.#control.write({ from: this.#phoneOf(account), to, text })
    return `+${to}`
  }

  async sendReferencedFileTo(account: Account, text: string): Promise<string> {
    const from = await this.#newPerson()
    const bytes = Buffer.from(text).toString('base64')
    const file = { kind: 'document', bytes, mimetype: 'text/plain', fileName: 'note.txt' } as const
    await this.#control.write({ from, to: this.#phoneOf(account), file })
    return `+${from}`
  }

  async #newPerson(): Promise<string> {
    this.#people += 1
    const phone = `49151${String(20_000_000 + this.#people)}`
    await this.#control.createPerson({ phone })
    return phone
  }

  #phoneOf({ link }: Account): string {
    return present(this.#phones.get(present(link).keys))
  }
}

/** Returns the secrets that let their holder log in as the account. */
async function secretsIn(keys: KeyStore): Promise<string[]> {
  const [stored] = (await keys.get('account', ['account'])).values()
  const { advSecretKey, noiseKey } = deserialize(present(stored))
  const noise = Buffer.from(noiseKey.private)
  return [advSecretKey, noise.toString('base64'), noise.toString('hex')]
}

/** The relation of a message that a phone shows as such. */
const relations: Readonly<Record<string, ArrivedAbout['as']>> = {
  reaction: 'reaction',
  edit: 'correction',
  revoke: 'retraction',
}

/** A message on a phone. Only documents have names there. */
function arrivalOf({ id, text = '', kind, media, about, target, shown }: Received): Arrival {
  const own = { id: ownIdFrom(id) ?? id, ...(shown && { content: contentOf(shown) }) }
  const named = target?.isKnown && target.isWellNamed ? about : undefined
  if (named !== undefined) {
    const as = relations[kind] ?? 'reply'
    return { ...own, text, about: { as, id: ownIdFrom(named) ?? named } }
  }
  if (!media) return { ...own, text }
  const { fileName = '', mimetype, bytes: size, sha256, caption = null } = media
  const file = { mime_type: mimetype, size, sha256, caption, voice: media.ptt ?? false }
  if (kind === 'document') return { ...own, text: '', file: { ...file, kind, filename: fileName } }
  if (kind !== 'image' && kind !== 'audio' && kind !== 'video' && kind !== 'sticker')
    throw new Error(`Files of the kind ${kind} are not sent.`)
  return { ...own, text: '', file: { ...file, kind, filename: null } }
}

function contentOf({
  location,
  contacts,
  poll,
}: NonNullable<Received['shown']>): NonNullable<Arrival['content']> {
  return {
    ...(location && { location: { name: null, address: null, ...location } }),
    ...(contacts && {
      contacts: contacts.map(({ name, phones }) => ({
        name,
        phones: [...phones],
        emails: [],
        company: null,
      })),
    }),
    ...(poll && {
      poll: {
        question: poll.question,
        options: [...poll.options],
        multiple_answers: poll.selectable !== 1,
      },
    }),
  }
}

conformance('whatsapp', new WhatsAppHarness())
