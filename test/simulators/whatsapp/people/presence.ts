import type { Account } from '../accounts/account.ts'
import { groupServer, lidServer } from '../accounts/jid.ts'
import type { Connection } from '../connection.ts'
import { childrenOf } from '../iq/question.ts'
import type { WhatsApp } from '../whatsapp.ts'
import { type Node, node } from '../wire/node.ts'

/** Takes the word of a client on whether its person is there. */
export function takePresence(
  { directory, counters }: WhatsApp,
  connection: Connection,
  { attrs }: Node,
): void {
  const { account } = connection
  if (!account) return
  counters.show({ person: account.pn, what: attrs.type ?? 'available', to: attrs.to ?? null })
  if (attrs.type === 'subscribe') directory.ofJid(attrs.to ?? '')?.watchers.add(account.lid)
  // Without a type, it says that the person is there.
  else connection.isAvailable = attrs.type !== 'unavailable'
}

/** A client says that its person writes: phones show that only if the account is there at the same time. */
export function takeChatState({ counters }: WhatsApp, connection: Connection, state: Node): void {
  const { account, isAvailable } = connection
  const [said] = childrenOf(state)
  if (!account || !said) return
  const what = isAvailable ? said.tag : `unseen ${said.tag}`
  counters.show({ person: account.pn, what, to: state.attrs.to ?? null })
}

/** A person writes, or ends to. Of a chat, those clients are told that are there and have asked for it; of a group, all that are there. */
export function showWriting(
  { directory, groups }: WhatsApp,
  author: Account,
  { to, state, media }: { readonly to: string; readonly state: string; readonly media?: string },
): number {
  const group = groups.get(to)
  const readers = group
    ? [...group.members]
    : [directory.get(to)].filter(({ lid }) => author.watchers.has(lid))
  const server = group ? group.server : lidServer
  const attrs = group
    ? { from: `${group.id}@${groupServer}`, participant: author.jid(server) }
    : { from: author.jid(server) }
  const said = node('chatstate', attrs, [node(state, media === undefined ? {} : { media })])
  let told = 0
  for (const reader of readers)
    for (const { line } of reader.devices.values()) {
      if (reader === author || !line?.isAvailable) continue
      line.send(said)
      told += 1
    }
  return told
}
