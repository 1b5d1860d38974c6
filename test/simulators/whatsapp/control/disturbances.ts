import { randomBytes } from 'node:crypto'
import { deliverMessage } from '../accounts/delivery.ts'
import { notify } from '../accounts/device-list.ts'
import { lidServer, phoneServer } from '../accounts/jid.ts'
import { stamp } from '../connection.ts'
import { timelock } from '../iq/mex.ts'
import { messageId } from '../people/contents.ts'
import { historyMessage, historyOf } from '../people/history.ts'
import { write } from '../people/writing.ts'
import type { Message } from '../proto/message.ts'
import type { WhatsApp } from '../whatsapp.ts'
import { node } from '../wire/node.ts'

/** Extraordinary events in the life of people and accounts. */
export const disturbanceActions = {
  /** A person gets a new phone with new keys. Those who write with them, and their own clients, are told. */
  renewPhone: (whatsapp: WhatsApp, { person }: { readonly person: string }): void => {
    const account = whatsapp.directory.get(person)
    account.renewPhone()
    const attributes = { type: 'encrypt', from: account.jid(lidServer) }
    for (const lid of account.chats) {
      const other = whatsapp.directory.ofJid(`${lid}@${lidServer}`)
      if (other) notify(other, attributes, [node('identity')])
    }
  },

  /** A phone loses its session with a client of a person, so that it cannot decrypt the next message. */
  loseSession: (
    { directory }: WhatsApp,
    {
      person,
      with: other,
      device,
    }: { readonly person: string; readonly with: string; readonly device: number },
  ): void => directory.get(person).phone.forgetSession({ user: directory.get(other).lid, device }),

  /** An unknown sender writes what only the own phone may: a history, or keys of the app state. Returns the id. */
  forge: (
    whatsapp: WhatsApp,
    wish: {
      readonly from: string
      readonly to: string
      readonly what: 'history' | 'keys'
      readonly text?: string
      /** The history is in a file. */
      readonly isFile?: boolean
    },
  ): Promise<string> => {
    const { directory } = whatsapp
    const [author, victim] = [directory.get(wish.from), directory.get(wish.to)]
    const chats = [{ other: victim, text: wish.text ?? 'Forged' }]
    const message =
      wish.what === 'keys'
        ? keyShare()
        : historyMessage(
            historyOf(author, chats, 'INITIAL_BOOTSTRAP'),
            'INITIAL_BOOTSTRAP',
            { kind: wish.isFile ? 'reference' : 'inline' },
            whatsapp.media,
          )
    return write(whatsapp, { author, to: victim, message })
  },

  /**
   * Puts something that cannot be decrypted in the mail of the clients of an account: a status, a message, or one whose
   * encryption is unknown. Returns its id.
   */
  sendUnreadable: (
    whatsapp: WhatsApp,
    wish: {
      readonly from: string
      readonly to: string
      readonly what: 'status' | 'message' | 'unknown encryption'
    },
  ): string => {
    const author = whatsapp.directory.get(wish.from)
    const account = whatsapp.directory.get(wish.to)
    const id = messageId()
    const [lid, pn] = [author.jid(lidServer), author.jid(phoneServer)]
    const addresses =
      wish.what === 'status'
        ? { from: 'status@broadcast', participant: lid, participant_pn: pn }
        : { from: lid, sender_pn: pn }
    const attributes = { id, ...addresses, type: 'text', t: stamp(), notify: author.name }
    const type = { status: 'skmsg', message: 'msg', 'unknown encryption': 'none' }[wish.what]
    const content = [node('enc', { v: '2', type }, randomBytes(120))]
    for (const device of account.devices.values()) {
      deliverMessage(whatsapp, account, device, node('message', attributes, content))
    }
    return id
  },

  /** The server says late that it has a message of the clients of an account, or once more. */
  acknowledge: (
    { directory }: WhatsApp,
    { person, to, id }: { readonly person: string; readonly to: string; readonly id: string },
  ): void => {
    const attributes = { class: 'message', id, from: directory.get(to).jid(lidServer), t: stamp() }
    for (const { line } of directory.get(person).devices.values()) line?.send(node('ack', attributes))
  },

  /**
   * Forbids an account to begin new chats until this moment, in milliseconds since 1970, and tells its clients; 0 lifts it.
   */
  lock: (
    whatsapp: WhatsApp,
    { person, until }: { readonly person: string; readonly until: number },
  ): void => {
    const account = whatsapp.directory.get(person)
    account.traits.lockedUntil = until
    const data = { xwa2_notify_account_reachout_timelock: timelock(until) }
    const update = { op_name: 'NotificationUserReachoutTimelockUpdate' }
    const content = [node('update', update, JSON.stringify({ data }))]
    notify(account, { type: 'mex', from: phoneServer }, content)
  },

  /** Tells the clients of an account how near it is to how many new chats it may begin until then, in milliseconds since 1970. */
  cap: (
    whatsapp: WhatsApp,
    wish: {
      readonly person: string
      readonly status: 'NONE' | 'FIRST_WARNING' | 'SECOND_WARNING' | 'CAPPED'
      readonly until: number
    },
  ): void => {
    const ends = String(Math.floor(wish.until / 1000))
    const capping = { capping_status: wish.status, cycle_end_timestamp: ends }
    const data = { xwa2_notify_new_chat_messages_capping_info_update: capping }
    const update = { op_name: 'MessageCappingInfoNotification' }
    const content = [node('update', update, JSON.stringify({ data }))]
    notify(whatsapp.directory.get(wish.person), { type: 'mex', from: phoneServer }, content)
  },
}

function keyShare(): Message {
  const keyData = { keyData: randomBytes(32), timestamp: Date.now() }
  const keys = [{ keyId: { keyId: randomBytes(6) }, keyData }]
  return { protocolMessage: { type: 'APP_STATE_SYNC_KEY_SHARE', appStateSyncKeyShare: { keys } } }
}
