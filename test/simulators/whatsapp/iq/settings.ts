import { activate } from '../accounts/login.ts'
import { issueToken } from '../accounts/privacy-token.ts'
import { child, children, node } from '../wire/node.ts'
import { type Answer, firstChild, type Question } from './question.ts'

/** Switches between waiting and taking messages. */
export function answerPassive({ whatsapp, connection, iq }: Question): Answer {
  if (!connection.device) return { code: 401, text: 'not-authorized' }
  if (firstChild(iq)?.tag === 'active') setImmediate(() => void activate(whatsapp, connection))
  else connection.isActive = false
  return []
}

/** The server's demands on its clients: privacy tokens on messages, which are issued for LIDs. */
export function answerProps(): Answer {
  const props = { '10518': 'true', '9666': 'false', '14303': 'true' }
  const list = Object.entries(props).map(([code, value]) =>
    node('prop', { config_code: code, config_value: value, name: code, value }),
  )
  return [node('props', { protocol: '1', hash: 'simulated', refresh: '86400' }, list)]
}

/** Answers each collection that is asked for with what it is: unchanged. */
export function answerAppState({ iq }: Question): Answer {
  const sync = child(iq, 'sync')
  if (!sync) return { code: 400, text: 'bad-request' }
  const collections = children(sync, 'collection').map(({ attrs }) =>
    node('collection', { name: attrs.name ?? '', version: attrs.version ?? '0', type: 'result' }),
  )
  return [node('sync', {}, collections)]
}

/** Answers who may see what, and hands privacy tokens to those for whom they are. */
export function answerPrivacy({ whatsapp, connection, iq }: Question): Answer {
  const { account } = connection
  if (!account) return { code: 401, text: 'not-authorized' }
  const tokens = child(iq, 'tokens')
  if (!tokens) return [node('privacy', {}, [node('category', { name: 'readreceipts', value: 'all' })])]
  for (const { attrs } of children(tokens, 'token')) {
    const other = whatsapp.directory.ofJid(attrs.jid ?? '')
    if (other) issueToken(account, other, attrs.t ?? '0')
  }
  return []
}
