import { unlink } from '../accounts/device-list.ts'
import { askForKeys } from '../accounts/login.ts'
import { enterCode } from '../accounts/pairing-code.ts'
import { scan } from '../accounts/registration.ts'
import { type Connection, streamError } from '../connection.ts'
import type { Fault } from '../faults.ts'
import { misbehaviour } from '../misbehaviour.ts'
import type { WhatsApp } from '../whatsapp.ts'

/** Acts of people and of the server when clients are linked. */
export const linkingActions = {
  /** A person scans a QR code. Answers when the client is linked; with no device if it was sent to fetch a passkey. */
  scan: async (whatsapp: WhatsApp, { person, qr }: { readonly person: string; readonly qr: string }) => {
    const device = await scan(whatsapp, whatsapp.directory.get(person), qr)
    return { device: device?.number }
  },

  /** A person types the code that a client shows, and waits for such a client. Answers as `scan` does. */
  enterCode: async (
    whatsapp: WhatsApp,
    { person, code }: { readonly person: string; readonly code: string },
  ) => {
    const device = await enterCode(whatsapp, whatsapp.directory.get(person), code)
    return { device: device?.number }
  },

  /** The linked clients of an account. Waits until this many of them are connected and take messages. */
  devices: async (
    whatsapp: WhatsApp,
    { person, connected = 0 }: { readonly person: string; readonly connected?: number },
  ) => {
    const account = whatsapp.directory.get(person)
    const active = () => [...account.devices.values()].filter(({ line }) => line?.isActive)
    await whatsapp.waiting.until(() => active().length >= connected)
    return [...account.devices.values()].map(({ number, line, logins, keysLeft, mailbox }) => ({
      device: number,
      isConnected: line?.isActive ?? false,
      logins,
      keysLeft,
      waiting: mailbox.size,
    }))
  },

  /** Other people take one-time keys of the clients of an account until so many are left, and the server asks for more. */
  spendKeys: (
    whatsapp: WhatsApp,
    { person, left }: { readonly person: string; readonly left: number },
  ): void => {
    for (const device of whatsapp.directory.get(person).devices.values()) {
      while (device.keysLeft > left) device.takeKey()
      askForKeys(whatsapp, device)
    }
  },

  /** A person removes a linked client on the phone. */
  unlink: (
    whatsapp: WhatsApp,
    { person, device }: { readonly person: string; readonly device: number },
  ): void => {
    const account = whatsapp.directory.get(person)
    const linked = account.devices.get(device)
    if (!linked) throw new Error('The account has no such client.')
    unlink(whatsapp, account, linked)
  },

  /** Does something to the open streams of an account, or to all there are. Returns how many. */
  disturb: (
    { connections }: WhatsApp,
    { person, fault }: { readonly person?: string; readonly fault: Fault },
  ): number => {
    const meant = [...connections].filter(({ account }) => person === undefined || account?.pn === person)
    for (const connection of meant) misbehaviour(connection, fault)
    return meant.length
  },

  /** From now on, the open streams of an account lose the messages of its clients. */
  loseMessages: ({ connections }: WhatsApp, { person }: { readonly person: string }): void => {
    for (const connection of connections) connection.losesMessages ||= connection.account?.pn === person
  },

  /** Waits until the open streams of an account have lost a message. */
  lost: async (
    { connections, waiting }: WhatsApp,
    { person }: { readonly person: string },
  ): Promise<void> => {
    const isLoss = ({ account, lost }: Connection) => account?.pn === person && lost > 0
    await waiting.until(() => [...connections].some(isLoss))
  },

  /** Waits until every phone has done what it is about to do, then throws away what waits for the clients of an account. */
  forgetWaiting: async ({ directory }: WhatsApp, { person }: { readonly person: string }): Promise<void> => {
    await Promise.all([...directory.all()].map((account) => account.inTurn(() => {})))
    for (const { mailbox } of directory.get(person).devices.values()) mailbox.clear()
  },

  /** Another client logs in as a client of an account, which ends its stream. */
  replace: (whatsapp: WhatsApp, { person }: { readonly person: string }): void => {
    for (const { line } of whatsapp.directory.get(person).devices.values()) {
      line?.endWith(streamError('replaced'))
    }
  },
}
