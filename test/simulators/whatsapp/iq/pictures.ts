import { parseJid } from '../accounts/jid.ts'
import { children, node } from '../wire/node.ts'
import type { Answer, Question } from './question.ts'

/** Answers with the address of a picture; errors as whatsmeow knows them (`GetProfilePictureInfo`). */
export function answerPicture({ whatsapp, connection, iq }: Question): Answer {
  const { account } = connection
  const target = iq.attrs.target ?? ''
  const person = whatsapp.directory.ofJid(target)
  const group = whatsapp.groups.get(parseJid(target).user)
  if (!account || person?.traits.hidesPicture) return { code: 401, text: 'not-authorized' }
  const path = person?.picture ?? group?.picture
  const [{ attrs } = node('picture')] = children(iq, 'picture')
  if (path === undefined) return { code: 404, text: 'item-not-found' }
  if (attrs.query !== 'url') return { code: 400, text: 'bad-request' }
  const url = `https://${whatsapp.media.host}${path}`
  return [node('picture', { id: '1700000000', type: attrs.type ?? 'image', url, direct_path: path })]
}
