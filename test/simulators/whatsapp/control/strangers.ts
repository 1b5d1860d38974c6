import type { NoKeys } from '../accounts/account.ts'
import { asBytes } from '../accounts/device.ts'
import { lidServer } from '../accounts/jid.ts'
import { stamp } from '../connection.ts'
import { getAcquainted } from '../messages/acquaintance.ts'
import { forward } from '../messages/receipts.ts'
import { messageId } from '../people/contents.ts'
import { sealFor } from '../people/sealing.ts'
import type { Message } from '../proto/message.ts'
import type { WhatsApp } from '../whatsapp.ts'
import { node } from '../wire/node.ts'

interface Sending {
  /** The phone numbers of who writes, and of whose clients get it. */
  readonly from: string
  readonly to: string
  readonly id?: string
}

/** Acts of phones that break the rules, or that do what few phones do. */
export const unknownSenderActions = {
  /** A phone confirms messages of a person in one receipt, with or without having them. */
  confirm: (
    whatsapp: WhatsApp,
    wish: {
      readonly person: string
      readonly of: string
      readonly ids: readonly string[]
      /** Nothing stands for delivered. */
      readonly type?: string
      readonly addressing?: 'lid' | 'pn'
      /** The id of the group. */
      readonly group?: string
    },
  ): void => {
    const group = wish.group === undefined ? undefined : whatsapp.groups.get(wish.group)
    forward(whatsapp, {
      from: { account: whatsapp.directory.get(wish.person), device: 0 },
      to: whatsapp.directory.get(wish.of),
      ids: wish.ids,
      server: wish.addressing === 'pn' ? 's.whatsapp.net' : lidServer,
      ...(wish.type !== undefined && { type: wish.type }),
      ...(group && { group }),
    })
  },

  /** A phone asks the clients of a person to send a message again, even one that was not meant for it. */
  askAgain: (
    whatsapp: WhatsApp,
    wish: {
      readonly person: string
      readonly of: string
      readonly id: string
      readonly addressing?: 'lid' | 'pn'
      /** The id of the group, whether the person is in it or not. */
      readonly group?: string
      /** Number of times that the person says so. */
      readonly count?: number
    },
  ): void => {
    const account = whatsapp.directory.get(wish.person)
    const group = wish.group === undefined ? undefined : whatsapp.groups.get(wish.group)
    const asked = { count: String(wish.count ?? 1), id: wish.id, t: stamp(), v: '1' }
    forward(whatsapp, {
      from: { account, device: 0 },
      to: whatsapp.directory.get(wish.of),
      ids: [wish.id],
      type: 'retry',
      server: wish.addressing === 'pn' ? 's.whatsapp.net' : lidServer,
      ...(group && { group }),
      content: [node('retry', asked), node('registration', {}, asBytes(account.phone.registrationId, 4))],
    })
  },

  /** A person writes bytes instead of a message, in base64, with more attributes if they like. Returns the id. */
  writeBytes: (
    whatsapp: WhatsApp,
    wish: Sending & { readonly bytes: string; readonly attributes?: Readonly<Record<string, string>> },
  ): Promise<string> =>
    sealForAll(whatsapp, wish, Buffer.from(wish.bytes, 'base64'), { more: wish.attributes ?? {} }),

  /** A person writes to a list of people, of which only one is looked at here. Returns the id. */
  writeToList: (
    whatsapp: WhatsApp,
    wish: Sending & { readonly list: string; readonly text: string },
  ): Promise<string> => sealForAll(whatsapp, wish, { conversation: wish.text }, { list: wish.list }),

  /**
   * From now on, no client can begin a session with a device of a person: with the phone, or with one that is linked but has
   * never run. Null: it has keys like any other. Returns the number of the device.
   */
  loseKeys: (
    { directory }: WhatsApp,
    wish: { readonly person: string; readonly device?: number; readonly answer: NoKeys | null },
  ): number => {
    const account = directory.get(wish.person)
    const device = wish.device ?? account.nextDevice()
    if (wish.answer === null) account.withoutKeys.delete(device)
    else account.withoutKeys.set(device, wish.answer)
    return device
  },

  /** A person is found by an older form of the phone number, too. */
  answersTo: (
    { directory }: WhatsApp,
    { person, number }: { readonly person: string; readonly number: string },
  ): void => directory.answerTo(directory.get(person), number),

  /** A person takes another phone number, and keeps the LID. */
  changeNumber: (
    { directory }: WhatsApp,
    { person, phone }: { readonly person: string; readonly phone: string },
  ): void => directory.renumber(directory.get(person), phone),
}

/** Encrypts something for every client of a person, and delivers it. */
async function sealForAll(
  whatsapp: WhatsApp,
  { from, to: toPhone, id = messageId() }: Sending,
  message: Message | Uint8Array,
  more: { readonly list?: string; readonly more?: Readonly<Record<string, string>> },
): Promise<string> {
  const author = whatsapp.directory.get(from)
  const to = whatsapp.directory.get(toPhone)
  getAcquainted(author, to)
  const envelope = { id, type: 'text', sender: { account: author, device: 0 }, server: lidServer, ...more }
  await author.inTurn(async () => {
    for (const device of to.devices.values())
      await sealFor({ whatsapp, author, to, device, envelope, message })
  })
  return id
}
