import { node } from '../wire/node.ts'
import type { Answer, Question } from './question.ts'

/** Says where files are sent to and fetched from, and the token for it. */
export function answerMediaConnection({ whatsapp, connection }: Question): Answer {
  if (!connection.account) return { code: 401, text: 'not-authorized' }
  const { host } = whatsapp.media
  const auth = whatsapp.media.authorize()
  const attributes = { auth, ttl: '300', auth_ttl: '21600', max_buckets: '12', id: '1' }
  const hosts = Array.from({ length: whatsapp.settings.mediaHosts }, (_, index) =>
    node('host', {
      hostname: host,
      type: index === 0 ? 'primary' : 'fallback',
      maxContentLengthBytes: '2147483648',
    }),
  )
  return [node('media_conn', attributes, hosts)]
}
