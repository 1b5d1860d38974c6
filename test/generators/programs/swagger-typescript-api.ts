import { given, picture, tell } from './given.js'
import {
  Api,
  MediaKind,
  type SendMedia,
  type XmppCredentials,
  type XmppSettings,
} from './swagger-typescript-api/api.js'

const { v1, setSecurityData } = new Api<string>({
  baseUrl: given.baseUrl,
  securityWorker: (key) => ({ headers: { Authorization: `Bearer ${key}` } }),
})
setSecurityData(given.key)

const settings: XmppSettings = { address: given.address, service: given.service, allow_plaintext: true }
const credentials: XmppCredentials = { password: given.password }
const { data: instance } = await v1.createInstance(
  { name: given.name, network: 'xmpp', settings, credentials, metadata: { made: 'by a generator' } },
  { headers: { Prefer: 'wait=20' } },
)
const kept = instance.settings as XmppSettings

const common = { instance: given.name, to: given.to }
const { data: text } = await v1.sendTextMessage({ ...common, text: 'A text' })
const file: SendMedia = { ...common, kind: MediaKind.Image, url: given.url }
const { data: url } = await v1.sendMediaMessage(file)
const { data: upload } = await v1.uploadMediaMessage({
  ...common,
  kind: MediaKind.Image,
  file: new File([picture], 'a.png'),
  metadata: '{"made": "here"}',
})
tell({ address: kept.address, status: instance.status, text: text.id, url: url.id, upload: upload.id })
