import type { WASocket } from 'baileys'
import type { DeviceCache, ListedDevice } from '../baileys/device-cache.ts'
import { type Bundle, bundlesOf } from './bundles.ts'

/** A device, and how it is addressed. */
export interface Addressed extends ListedDevice {
  readonly jid: string
}

/** The sessions of a client with the devices that it writes to. */
export class DeviceSessions {
  readonly #sock: WASocket
  readonly #devices: DeviceCache

  constructor(sock: WASocket, devices: DeviceCache) {
    this.#sock = sock
    this.#devices = devices
  }

  /**
   * Begins sessions with those devices with which there are none. Those of which there are no keys are left out for a while. Resolves with the others;
   * rejects with the library's errors if WhatsApp does not answer.
   */
  async begin(devices: readonly Addressed[]): Promise<readonly Addressed[]> {
    const strange: Addressed[] = []
    for (const device of devices) if (!(await this.has(device.jid))) strange.push(device)
    if (strange.length === 0) return devices
    const bundles = await bundlesOf(
      this.#sock,
      strange.map(({ jid }) => jid),
    )
    const unreachable = new Set<Addressed>()
    // All keys of this transaction are stored together.
    await this.#sock.authState.keys.transaction(async () => {
      for (const device of strange)
        if (!(await this.#began(device.jid, bundles.get(device.jid)))) unreachable.add(device)
    }, 'sessions')
    for (const device of unreachable) this.#devices.hasNoKeys(device)
    return devices.filter((device) => !unreachable.has(device))
  }

  async has(jid: string): Promise<boolean> {
    return (await this.#sock.signalRepository.validateSession(jid)).exists
  }

  /** Begins another session with a device, by keys that it sent or that WhatsApp has. False if there are none that are any good. */
  async renew(jid: string, given: Bundle | null): Promise<boolean> {
    if (given !== null && (await this.#began(jid, given))) return true
    return await this.#began(jid, (await bundlesOf(this.#sock, [jid])).get(jid))
  }

  async #began(jid: string, bundle: Bundle | undefined): Promise<boolean> {
    if (!bundle) return false
    const { preKey, ...others } = bundle
    try {
      await this.#sock.signalRepository.injectE2ESession({
        jid,
        session: { ...others, ...(preKey && { preKey }) },
      })
      return true
    } catch {
      // The keys are not signed by their owner, or no keys at all.
      return false
    }
  }
}
