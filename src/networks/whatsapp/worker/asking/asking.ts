import type { BinaryNode, WASocket } from 'baileys'
import type { GroupChanged } from '../../../driver/abilities/groups.ts'
import type { TypingSeen } from '../../../driver/account-news.ts'
import { groupChangesIn } from '../../groups/group-changes.ts'
import type { Envelope } from '../../incoming/incoming-message.ts'
import type { OwnNames, ReceiptObservation } from '../../incoming/receipts.ts'
import { withOtherNames } from '../../incoming/receipts.ts'
import type { Answers } from '../../processes/rpc-channel.ts'
import type { AskWorker } from '../../processes/worker-protocol.ts'
import { keepGroupChanges } from '../baileys/incoming/group-keeper.ts'
import type { Keys } from '../keys.ts'
import type { Groups } from '../outgoing/groups.ts'
import { storedLidOf } from '../outgoing/recipients.ts'
import { logOut, markRead } from './account.ts'
import { GroupQuestions } from './groups.ts'
import { findAccounts, findPictureUrl } from './people.ts'
import { Typing } from './typing.ts'

export interface AskingOptions {
  /** The socket, if it is open. */
  readonly socket: () => WASocket | null
  readonly keys: () => Keys | null
  readonly own: () => OwnNames
  readonly groups: Groups
  /** People see the account as online all the time. */
  readonly isShownOnline: boolean
  readonly report: (seen: TypingSeen) => void
  /** Resolves with true if all of them are stored. */
  readonly store: (changes: readonly GroupChanged[]) => Promise<boolean>
  /** More came than can be held. */
  readonly overflowed: () => void
}

type Answered = Omit<AskWorker, 'send' | 'ping' | 'mediaHosts' | 'thumbnail'>

/** All that one client asks WhatsApp besides sending messages, and all that it hears of groups and of who is writing. */
export class Asking {
  readonly #options: AskingOptions
  readonly #groups: GroupQuestions
  #typing: Typing | null = null
  readonly answers: Answers<Answered>

  constructor(options: AskingOptions) {
    this.#options = options
    const { socket, own } = options
    this.#groups = new GroupQuestions({
      socket,
      own,
      groupOf: (group) => options.groups.of(this.#open(), group),
      storedLidOf: this.#storedLidOf,
    })
    this.answers = {
      logOut: () => logOut(this.#open()),
      markRead: (message) => markRead(this.#open(), message),
      findAccounts: ({ numbers }) => findAccounts(socket(), numbers),
      findPicture: async ({ jid }) =>
        await findPictureUrl(socket(), (await this.#storedLidOf(jid).catch(() => null)) ?? jid),
      showTyping: async ({ jid, seconds }) => {
        if (socket()) await this.#typing?.show(jid, seconds)
      },
      ...this.#groups.answers,
    }
  }

  /** Listens to a new socket, before anything comes through it. */
  listen(sock: WASocket): void {
    const { own, isShownOnline, report, store, overflowed } = this.#options
    this.end()
    this.#typing = new Typing({ sock, own, isShownOnline, report, storedLidOf: this.#storedLidOf })
    const { isCommunity, noteCommunity: onCommunity } = this.#groups
    const changesIn = (node: BinaryNode) => groupChangesIn(node, { own: own(), isCommunity, onCommunity })
    keepGroupChanges({ ws: sock.ws, changesIn, store, overflowed })
  }

  /** A message came, or was written elsewhere. */
  said({ chat, from_me }: Envelope): void {
    if (!from_me) this.#typing?.wrote(chat)
  }

  /** A message was sent there. */
  sent(jid: string): void {
    this.#typing?.sent(jid)
  }

  /** Returns what was read elsewhere under each name by which its messages may be stored. */
  async named(receipts: readonly ReceiptObservation[]): Promise<readonly ReceiptObservation[]> {
    if (receipts.every(({ kind }) => kind !== 'read-elsewhere')) return receipts
    return await withOtherNames(receipts, async (jid) => {
      const number = await this.#numberOf(jid).catch(() => null)
      return number ?? (await this.#storedLidOf(jid).catch(() => null))
    })
  }

  end(): void {
    this.#typing?.end()
    this.#typing = null
  }

  #open(): WASocket {
    const sock = this.#options.socket()
    if (!sock) throw new Error('the connection is not open')
    return sock
  }

  async #numberOf(jid: string): Promise<string | null> {
    return (await this.#options.socket()?.signalRepository.lidMapping.getPNForLID(jid)) ?? null
  }

  readonly #storedLidOf = async (jid: string): Promise<string | null> => {
    const keys = this.#options.keys()
    return keys && (await storedLidOf(keys, jid))
  }
}
