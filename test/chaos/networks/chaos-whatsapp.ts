import { setTimeout as wait } from 'node:timers/promises'
import { getInstanceStatus } from '../../../src/contract/operations/instance-operations.ts'
import { ownIdFrom } from '../../../src/networks/whatsapp/message-id.ts'
import type { CheckedClient } from '../../kit/http/checked-client.ts'
import { unpaced } from '../../kit/networks/whatsapp/stage.ts'
import { eventually } from '../../kit/play.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../simulators/whatsapp/start-whatsapp.ts'
import type { Arrival, SufferedFault } from '../check/story.ts'
import { type ChaosNetwork, nodeNames } from './chaos-network.ts'
import { isGraceful } from './graceful.ts'

/** Milliseconds between two looks at a phone, which remembers no more than the last thousands of texts. */
const lookEvery = 1_000

const accountOf = (index: number) => String(4_915_100_000_000 + index)
const personOf = (client: string) => String(4_915_200_000_000 + nodeNames.indexOf(client))

/** WhatsApp's simulator, with an account for each instance and a person for each client. */
export async function chaosWhatsApp(count: number): Promise<ChaosNetwork> {
  const whatsapp = await startWhatsApp({ after: () => {} })
  const names = Array.from({ length: count }, (_, index) => `whatsapp-${index}`)
  for (const index of names.keys()) await whatsapp.control.createPerson({ phone: accountOf(index) })
  const nameOf = (phone: string) => names[Number(phone) - Number(accountOf(0))] ?? phone
  const phones = await Phones.of(whatsapp, nameOf)
  return {
    urls: { POSTHORN_WHATSAPP_SERVER: whatsapp.url },
    settingsFor: async () => ({
      POSTHORN_WHATSAPP_CA_FILE: whatsapp.caFile,
      POSTHORN_WHATSAPP_ROOT_KEY: whatsapp.rootKey,
    }),
    instances: names.map((name) => ({ name, network: 'whatsapp', settings: unpaced })),
    link: ({ admin }, name) => link(whatsapp, admin, { name, phone: accountOf(names.indexOf(name)) }),
    isForgetful: false,
    linesOf: (client) =>
      names.map((instance, index) => ({
        ...{ instance, to: `+${personOf(client)}` },
        // Some wait for each text, some go on and have a queue after a fault.
        ...(index % 2 === 0 ? { pause: 250 } : { patient: true, pause: 20 }),
      })),
    arrived: () => phones.arrived(),
    complaints: async (faults) => [...(await phones.troubles()), ...(await replaced(whatsapp, faults))],
    async stop() {
      await phones.leave()
      await whatsapp.stop()
    },
  }
}

/** A person scans every code that is shown until the account is linked: on a busy machine, a link attempt may be lost. */
async function link(
  { control }: WhatsAppProcess,
  admin: CheckedClient,
  { name, phone }: { readonly name: string; readonly phone: string },
): Promise<void> {
  let scanned = ''
  const look = async () => {
    const { body } = await admin.call(getInstanceStatus, { params: { name } })
    const shown = body.link?.value ?? scanned
    if (shown !== scanned) await control.scan({ person: phone, qr: shown }).catch(() => {})
    scanned = shown
    return body
  }
  await eventually('a linked account', look, ({ status }) => status === 'connected', 120_000)
}

/** The people's phones. A phone shows a text that is repeated with its id once. */
class Phones {
  readonly #control: WhatsAppProcess['control']
  readonly #nameOf: (phone: string) => string
  readonly #people = nodeNames.map(personOf)
  readonly #seen = new Map<string, Arrival[]>(this.#people.map((person) => [person, []]))
  readonly #over = new AbortController()
  readonly #looking: Promise<void>

  private constructor(control: WhatsAppProcess['control'], nameOf: (phone: string) => string) {
    this.#control = control
    this.#nameOf = nameOf
    this.#looking = this.#look()
  }

  static async of({ control }: WhatsAppProcess, nameOf: (phone: string) => string): Promise<Phones> {
    for (const client of nodeNames) await control.createPerson({ phone: personOf(client) })
    return new Phones(control, nameOf)
  }

  async arrived(): Promise<readonly Arrival[]> {
    await this.leave()
    await this.#readAll()
    return [...this.#seen.values()].flat()
  }

  /** Ciphertexts that show that a session with a person was broken. */
  async troubles(): Promise<string[]> {
    const all = await Promise.all(
      this.#people.map(async (person) => ({ person, ...(await this.#control.trouble({ person })) })),
    )
    return all
      .filter(({ undecryptable, reusedKeys }) => undecryptable + reusedKeys > 0)
      .map((trouble) => `phone ${JSON.stringify(trouble)}`)
  }

  async leave(): Promise<void> {
    this.#over.abort()
    await this.#looking
  }

  async #look(): Promise<void> {
    const { signal } = this.#over
    while (!signal.aborted) {
      await this.#readAll()
      await wait(lookEvery, undefined, { signal }).catch(() => {})
    }
  }

  async #readAll(): Promise<void> {
    for (const [person, seen] of this.#seen)
      for (const { id, text = '', from, at } of await this.#control.received({ person, known: seen.length }))
        seen.push({ id: ownIdFrom(id) ?? id, text, instance: this.#nameOf(from), at })
  }
}

/** The clients that logged in while they were connected, although nothing kept their node from leaving first. */
async function replaced({ control }: WhatsAppProcess, faults: readonly SufferedFault[]): Promise<string[]> {
  const all = await control.replaced({})
  return all
    .filter(({ at }) => isGraceful(at, faults))
    .map(({ account, at }) => `${account} replaced at ${at}`)
}
