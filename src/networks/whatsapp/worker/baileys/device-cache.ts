import { jidDecode } from 'baileys'
import { Cache } from '../cache.ts'

const minute = 60_000
const hour = 60 * minute

/** Of how many users the devices are remembered: more than a group has members. */
const maxUsers = 2_000

/** For how long a device without keys is left out, and who has no devices is not asked for them again, in milliseconds. */
const pause = 5 * minute

/** Such devices and users that are remembered. */
const maxLeftOut = 1_000

export interface ListedDevice {
  readonly user: string
  readonly device?: number | undefined
  readonly server?: string | undefined
}

/**
 * The devices of each user that get a message, as the library asks for and keeps them. The library sends to no device if one
 * of them all cannot get the message: so such devices are not shown to it.
 */
export class DeviceCache extends Cache {
  readonly #ownDevice: () => string | undefined
  readonly #withoutKeys = new Cache(maxLeftOut, pause)
  readonly #withoutDevices = new Cache(maxLeftOut, pause)

  /** `ownDevice`: the LID of the device that sends, which the library takes for one that gets the message, too. */
  constructor(ownDevice: () => string | undefined) {
    super(maxUsers, hour)
    this.#ownDevice = ownDevice
  }

  /** All that WhatsApp listed, in the order of the users. The library asks for one user only to store what has changed. */
  listed(users: readonly string[]): readonly ListedDevice[] {
    return users.flatMap((user) => this.get<readonly ListedDevice[]>(user) ?? [])
  }

  isLeftOut(device: ListedDevice): boolean {
    const own = jidDecode(this.#ownDevice())
    const isOwn = own?.user === device.user && (own.device ?? 0) === (device.device ?? 0)
    return isOwn || this.#withoutKeys.get(nameOf(device)) === true
  }

  /** WhatsApp has no keys of the device that are any good: nothing can be encrypted for it. */
  hasNoKeys(device: ListedDevice): void {
    this.#withoutKeys.set(nameOf(device), true)
  }

  /** WhatsApp listed no device of this user. */
  hasNoDevices(user: string): void {
    this.#withoutDevices.set(user, true)
  }

  /** The devices of the user are to be asked for again, if there are none. */
  lookAgain(user: string): void {
    this.#withoutDevices.del(user)
  }

  /** WhatsApp told that the devices of the user have changed. */
  override set<Value>(user: string, value: Value): void {
    for (const device of value as readonly ListedDevice[]) this.#withoutKeys.del(nameOf(device))
    super.set(user, value)
  }

  override async mget<Value>(users: string[]): Promise<Record<string, Value | undefined>> {
    return Object.fromEntries(users.map((user) => [user, this.#shown(user) as Value | undefined]))
  }

  override async mset<Value>(entries: { key: string; value: Value }[]): Promise<void> {
    for (const { key, value } of entries) super.set(key, value)
  }

  #shown(user: string): readonly ListedDevice[] | undefined {
    const listed = this.get<readonly ListedDevice[]>(user)
    if (listed) return listed.filter((device) => !this.isLeftOut(device))
    return this.#withoutDevices.get(user) ? [] : undefined
  }
}

function nameOf({ user, device }: ListedDevice): string {
  return `${user}:${device ?? 0}`
}
