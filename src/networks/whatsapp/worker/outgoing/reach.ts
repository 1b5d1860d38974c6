import {
  type GroupMetadata,
  isJidGroup,
  isLidUser,
  jidDecode,
  jidNormalizedUser,
  type WASocket,
} from 'baileys'
import type { DeviceCache } from '../baileys/device-cache.ts'
import { forgetSenderKey, hasLeft, senderKeyHolders } from '../baileys/sender-keys.ts'
import { userOf } from '../baileys/signal.ts'
import type { Keys } from '../keys.ts'
import { listHash } from './list-hash.ts'
import type { Addressed, DeviceSessions } from './sessions.ts'

/** The number of devices that WhatsApp itself runs for a business: they get no keys to groups. */
const hostedDevice = 99

export interface ReachOptions {
  readonly sock: WASocket
  readonly keys: Keys
  readonly devices: DeviceCache
  readonly sessions: DeviceSessions
  /** Rejects with the error of WhatsApp if the account may not see the group. */
  readonly groupOf: (group: string) => Promise<GroupMetadata>
}

/** The devices that a message can reach. */
export interface Reached {
  /** True if any device of the recipient gets it. */
  readonly isReachable: boolean
  /** The hash of all devices that should get it: WhatsApp answers with another one if there are others. */
  readonly hash: string
}

/** Finds out which devices a message goes to, and begins a session with each before the library encrypts for them. */
export class DeviceReach {
  readonly #options: ReachOptions

  constructor(options: ReachOptions) {
    this.#options = options
  }

  /** Rejects with the library's errors if WhatsApp does not say who gets it. */
  async prepare(jid: string): Promise<Reached> {
    return isJidGroup(jid) ? await this.#prepareGroup(jid) : await this.#prepareChat(jid)
  }

  async #prepareChat(jid: string): Promise<Reached> {
    const { devices, sessions } = this.#options
    const [number, lid] = this.#own()
    const own = jidNormalizedUser(isLidUser(jid) && lid !== undefined ? lid : number)
    const user = userOf(jid)
    devices.lookAgain(user)
    const reached = await sessions.begin(await this.#devicesOf([own, jid]))
    return { isReachable: reached.some((device) => device.user === user), hash: this.#hashOf([own, jid]) }
  }

  async #prepareGroup(group: string): Promise<Reached> {
    const { keys, devices, sessions, groupOf } = this.#options
    const members = (await groupOf(group)).participants.map(({ id }) => id)
    const found = await this.#devicesOf(members)
    const known = new Set(found.map(({ user }) => user))
    for (const user of members.map(userOf)) if (!known.has(user)) devices.hasNoDevices(user)
    const holders = await senderKeyHolders(keys, group)
    const users = members.map(userOf)
    const isOutdated = hasLeft(holders.keys(), users, devices.listed(users))
    if (isOutdated) forgetSenderKey(keys, group, this.#own().map(this.#addressOf))
    const strange = found.filter(
      ({ jid, device }) => (isOutdated || holders.get(jid) !== true) && device !== hostedDevice,
    )
    await sessions.begin(strange)
    return { isReachable: true, hash: this.#hashOf(members) }
  }

  /** Asked for, if they are not known. The library takes them from the cache then, where it does not see those that are left out. */
  async #devicesOf(jids: readonly string[]): Promise<readonly Addressed[]> {
    const { sock, devices } = this.#options
    const found = await sock.getUSyncDevices([...new Set(jids)], true, false)
    const own = new Set(this.#own())
    return found.filter((device) => !own.has(device.jid) && !devices.isLeftOut(device))
  }

  #hashOf(jids: readonly string[]): string {
    const users = [...new Set(jids.map(userOf))]
    // The library does not list the device that sends, by its phone number.
    const own = this.#own()
      .map((jid) => jidDecode(jid))
      .filter((each) => each !== undefined && users.includes(each.user))
    return listHash([...this.#options.devices.listed(users), ...own])
  }

  /** The addresses of the device that sends: by its number, and by its LID. */
  #own(): [number: string, ...lids: string[]] {
    const { id = '', lid } = this.#options.sock.authState.creds.me ?? {}
    return lid === undefined ? [id] : [id, lid]
  }

  readonly #addressOf = (jid: string): string =>
    this.#options.sock.signalRepository.jidToSignalProtocolAddress(jid)
}
