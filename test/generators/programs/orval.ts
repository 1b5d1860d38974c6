import { given, picture, tell } from './given.js'
import {
  createInstance,
  type Problem,
  type SendMedia,
  sendMediaMessage,
  sendTextMessage,
  uploadMediaMessage,
  type XmppCredentials,
  type XmppSettings,
} from './orval/client.js'

const authorization = `Bearer ${given.key}`
/** With two bodies to choose from, it leaves it to the caller to say which one it is. */
const json = { headers: { authorization, 'content-type': 'application/json' } }

const settings: XmppSettings = { address: given.address, service: given.service, allow_plaintext: true }
const credentials: XmppCredentials = { password: given.password }
const instance = await createInstance(
  { name: given.name, network: 'xmpp', settings, credentials, metadata: { made: 'by a generator' } },
  { headers: { authorization, prefer: 'wait=20' } },
)
if (instance.status !== 201) throw problem(instance.data)
const { settings: shown, status } = instance.data
const address = String(shown.address)

const common = { instance: given.name, to: given.to }
const text = await sendTextMessage({ ...common, text: 'A text' }, { headers: { authorization } })
if (text.status !== 202) throw problem(text.data)
const file: SendMedia = { ...common, kind: 'image', url: given.url }
const url = await sendMediaMessage(file, json)
if (url.status !== 202) throw problem(url.data)
const upload = await uploadMediaMessage(
  { ...common, kind: 'image', file: new File([picture], 'a.png'), metadata: '{"made": "here"}' },
  { headers: { authorization } },
)
if (upload.status !== 202) throw problem(upload.data)
tell({ address, status, text: text.data.id, url: url.data.id, upload: upload.data.id })

function problem({ code, detail }: Problem): Error {
  return new Error(`${code}: ${detail}`)
}
