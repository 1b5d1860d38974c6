import type { Account } from '../accounts/account.ts'
import { lidServer, parseJid, phoneServer } from '../accounts/jid.ts'
import type { WhatsApp } from '../whatsapp.ts'
import { child, children, type Node, node, text } from '../wire/node.ts'
import { type Answer, childrenOf, type Question } from './question.ts'

/** Answers with the devices and the LID of a person, and if there is an account at all. */
export function answerUsync({ whatsapp, connection, iq }: Question): Answer {
  if (!connection.account) return { code: 401, text: 'not-authorized' }
  const asked = child(iq, 'usync')
  const query = asked && child(asked, 'query')
  const list = asked && child(asked, 'list')
  if (!query || !list) return { code: 400, text: 'bad-request' }
  const protocols = childrenOf(query).map(({ tag }) => tag)
  const users = children(list, 'user').map((user) => userNode(whatsapp, user, protocols))
  const results = protocols.map((tag) => node(tag))
  return [node('usync', { ...asked.attrs }, [node('result', {}, results), node('list', {}, users)])]
}

function userNode(whatsapp: WhatsApp, user: Node, protocols: readonly string[]): Node {
  const contact = child(user, 'contact')
  const asked = contact && text(contact) !== '' ? text(contact) : undefined
  const digits = asked?.replace(/^\+/, '')
  const written = digits === undefined ? undefined : whatsapp.directory.ofWritten(digits)
  const jid = user.attrs.jid ?? `${written?.pn ?? digits}@${phoneServer}`
  const account = whatsapp.directory.ofJid(jid)
  const found = protocols.map((tag) => protocolNode(tag, account, jid, asked))
  return node(
    'user',
    { jid },
    found.filter((each) => each !== undefined),
  )
}

function protocolNode(tag: string, account: Account | undefined, jid: string, asked = ''): Node | undefined {
  switch (tag) {
    case 'contact':
      return node('contact', { type: account ? 'in' : 'out' }, asked === '' ? undefined : asked)
    case 'devices':
      return node('devices', {}, [deviceList(account)])
    case 'lid': {
      if (!account || account.traits.hidesLid || parseJid(jid).server === lidServer) return undefined
      return node('lid', { val: account.jid(lidServer) })
    }
    default:
      return undefined
  }
}

function deviceList(account: Account | undefined): Node {
  if (!account || account.traits.hidesDevices) return node('device-list')
  const devices = account
    .numbers()
    .map((number) =>
      node('device', { id: String(number), ...(number > 0 && { 'key-index': String(number) }) }),
    )
  return node('device-list', {}, devices)
}
