import { jidDecode, type WASocket } from 'baileys'
import type { Keys } from '../keys.ts'
import type { ListedDevice } from './device-cache.ts'

/** The type under which the library keeps which devices have the account's key to a group. */
const holdersType = 'sender-key-memory'

/**
 * The addresses of the devices that have, or may have, the account's key to a group. False for those that are given it with the next message,
 * too: the library gives it to all for whom it does not find a true.
 */
export async function senderKeyHolders(keys: Keys, group: string): Promise<ReadonlyMap<string, boolean>> {
  const found = (await keys.read(holdersType, [group])).get(group) as Record<string, boolean> | undefined
  return new Map(Object.entries(found ?? {}))
}

/** True if a device has the key that is not in the group any longer: because its user left, or unlinked it. */
export function hasLeft(
  holders: Iterable<string>,
  members: readonly string[],
  listed: readonly ListedDevice[],
): boolean {
  const there = new Set(members)
  const devices = new Set(listed.map(({ user, device }) => `${user}:${device ?? 0}`))
  const known = new Set(listed.map(({ user }) => user))
  for (const holder of holders) {
    const { user = holder, device = 0 } = jidDecode(holder) ?? {}
    if (!there.has(user) || (known.has(user) && !devices.has(`${user}:${device}`))) return true
  }
  return false
}

/**
 * Has the library make another key to a group and give it to all who are there then. `own`: the addresses of the device that sends, as the library writes
 * them for the Signal protocol.
 */
export function forgetSenderKey(keys: Keys, group: string, own: readonly string[]): void {
  const ids = own.map((address) => senderKeyId(group, address))
  keys.put({
    'sender-key': Object.fromEntries(ids.map((id) => [id, null])),
    [holdersType]: { [group]: null },
  })
}

/**
 * A device is given the account's key to a group with a message that it could not read. It counts as one that has it, so that another key is made
 * when it leaves, and is to be given it with the next message, too. In the turn of sending, because the library then writes the whole list anew.
 */
export async function givenAlone({ authState }: WASocket, group: string, jid: string): Promise<void> {
  const { creds, keys } = authState
  await keys.transaction(async () => {
    const { [group]: found } = await keys.get(holdersType, [group])
    await keys.set({ [holdersType]: { [group]: { ...found, [jid]: false } } })
  }, creds.me?.id ?? '')
}

/** Under which id the library keeps the key of a device to a group. */
export function senderKeyId(group: string, address: string): string {
  const dot = address.lastIndexOf('.')
  return `${group}::${address.slice(0, dot)}::${address.slice(dot + 1)}`
}
