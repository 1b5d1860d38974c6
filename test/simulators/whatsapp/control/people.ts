import type { Account, NewPerson, Traits } from '../accounts/account.ts'
import { issueToken } from '../accounts/privacy-token.ts'
import type { Group } from '../messages/group.ts'
import { forward } from '../messages/receipts.ts'
import { type Content, messageOf } from '../people/contents.ts'
import { type Vote, voteMessage } from '../people/polls.ts'
import { write } from '../people/writing.ts'
import type { Message } from '../proto/message.ts'
import type { WhatsApp } from '../whatsapp.ts'

export interface Writing extends Content {
  /** The phone number of who writes. */
  readonly from: string
  /** The phone number of who gets it, or the id of a group. */
  readonly to: string
  /** The id of the message; made up if not given. */
  readonly id?: string
  /** The kind of its addresses; LIDs if not given. */
  readonly addressing?: 'lid' | 'pn'
  readonly vote?: Vote
}

async function writeAs(whatsapp: WhatsApp, writing: Writing): Promise<string> {
  const { from, to, id, addressing } = writing
  const author = whatsapp.directory.get(from)
  const receiver = whatsapp.groups.get(to) ?? whatsapp.directory.get(to)
  const server = addressing === 'pn' ? { server: 's.whatsapp.net' } : {}
  const chat = 'pn' in receiver ? receiver.jid(server.server ?? 'lid') : receiver.jid
  const message = writing.vote
    ? votedIn(whatsapp, author, { vote: writing.vote, chat, server: serverOf(receiver, server.server) })
    : messageOf(writing, chat, whatsapp.media)
  const more = writing.edit ? { edit: '1' } : writing.revoke === undefined ? {} : { edit: '7' }
  return write(whatsapp, {
    author,
    to: receiver,
    message,
    more,
    ...(id !== undefined && { id }),
    ...server,
  })
}

const serverOf = (receiver: Account | Group, server = 'lid') => ('pn' in receiver ? server : receiver.server)

function votedIn(
  { directory }: WhatsApp,
  voter: Account,
  where: { readonly vote: Vote; readonly chat: string; readonly server: string },
): Message {
  const { author = '' } = voter.inbox.polls.get(where.vote.poll) ?? {}
  return voteMessage(voter, directory.get(author), where)
}

/** Acts of people with their phones, and the messages that they see there. */
export const peopleActions = {
  /** Returns the digits of the LID. */
  createPerson: ({ directory }: WhatsApp, person: NewPerson): string => directory.add(person).lid,

  /** Changes what is special about an account. */
  change: (
    whatsapp: WhatsApp,
    { person, ...traits }: { readonly person: string } & Partial<Traits>,
  ): void => {
    const account = whatsapp.directory.get(person)
    Object.assign(account.traits, traits)
    if (account.traits.isAway) return
    const { held } = account.inbox
    account.inbox.held = []
    for (const act of held) act()
  },

  /** A person gives another the privacy token without which WhatsApp may refuse messages to them; as of so many days ago. */
  trust: (
    { directory }: WhatsApp,
    wish: { readonly person: string; readonly other: string; readonly daysAgo?: number },
  ): void => {
    const since = Math.floor(Date.now() / 1000) - (wish.daysAgo ?? 0) * 24 * 60 * 60
    issueToken(directory.get(wish.person), directory.get(wish.other), String(since))
  },

  /** A person writes on the phone: to another, or in a group. Returns the id of the message. */
  write: writeAs,

  /** The next time that a client of this person gets the mail that waited for it, these are written right behind that. */
  writeDuringDrain: (
    whatsapp: WhatsApp,
    { person, writings }: { readonly person: string; readonly writings: readonly Writing[] },
  ): void => {
    whatsapp.directory.get(person).duringDrain = async () => {
      for (const writing of writings) await writeAs(whatsapp, writing)
    }
  },

  /**
   * Returns the messages that a phone shows, in the order in which they came. Waits until there are at least `count`.
   * `known` leaves out the first so many of all that the phone has ever shown, for callers who come back for new ones.
   */
  received: async (
    whatsapp: WhatsApp,
    wish: {
      readonly person: string
      readonly from?: string
      readonly chat?: string
      readonly count?: number
      readonly known?: number
    },
  ) => {
    const { inbox } = whatsapp.directory.get(wish.person)
    const seen = () =>
      inbox
        .all(wish.known)
        .filter(
          ({ from, chat }) =>
            (wish.from === undefined || wish.from === from) &&
            (wish.chat === undefined || wish.chat === chat),
        )
        .toArray()
    const isFiltered = wish.from !== undefined || wish.chat !== undefined
    await whatsapp.waiting.until(
      () => (isFiltered ? seen().length : inbox.shown - (wish.known ?? 0)) >= (wish.count ?? 0),
    )
    return seen()
  },

  /** Returns the messages that a phone shows, as soon as they, each with all its copies, came at least this often. */
  arrived: async (
    { directory, waiting }: WhatsApp,
    { person, times }: { readonly person: string; readonly times: number },
  ) => {
    const { inbox } = directory.get(person)
    await waiting.until(() => inbox.arrivals >= times)
    return inbox.all().toArray()
  },

  /** Counts the copies of a message that came to a phone; 0 if none did. */
  copies: (
    { directory }: WhatsApp,
    { person, id }: { readonly person: string; readonly id: string },
  ): number => directory.get(person).inbox.ofId(id)?.copies ?? 0,

  /** Returns the troubles that a phone had with ciphertexts. */
  trouble: ({ directory }: WhatsApp, { person }: { readonly person: string }) => {
    const { undecryptable, reusedKeys, duplicates } = directory.get(person).inbox
    return { undecryptable, reusedKeys, duplicates }
  },

  /** A person reads messages, or plays them. */
  read: (
    whatsapp: WhatsApp,
    wish: { readonly person: string; readonly ids: readonly string[]; readonly type?: 'read' | 'played' },
  ): void => {
    const account = whatsapp.directory.get(wish.person)
    const type = wish.type ?? 'read'
    for (const id of wish.ids) {
      const received = account.inbox.ofId(id)
      if (!received) throw new Error(`The phone shows no message ${id}.`)
      const group = whatsapp.groups.get(received.chat)
      const author = whatsapp.directory.get(received.from)
      const read = {
        from: { account, device: 0 },
        ids: [id],
        server: received.addressing === 'lid' ? 'lid' : 's.whatsapp.net',
        ...(group && { group }),
      }
      if (!account.traits.hidesReading) forward(whatsapp, { ...read, to: author, type })
      // The person's own clients learn of it, too.
      const own = account.traits.hidesReading ? `${type}-self` : type
      if (author !== account)
        forward(whatsapp, { ...read, to: account, type: own, recipient: author.jid(read.server) })
    }
  },

  /** The receipts that a phone has got for a message. Waits until one is of this type, if it is given. */
  receipts: async (
    whatsapp: WhatsApp,
    { person, id, type }: { readonly person: string; readonly id: string; readonly type?: string },
  ) => {
    const { receipts } = whatsapp.directory.get(person).inbox
    const isThere = () =>
      type === undefined || (receipts.get(id) ?? []).some((receipt) => receipt.type === type)
    await whatsapp.waiting.until(isThere)
    return receipts.get(id) ?? []
  },
}
