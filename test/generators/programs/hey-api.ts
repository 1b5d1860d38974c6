import { given, picture, tell } from './given.js'
import { client } from './hey-api/client.gen.js'
import { createInstance, sendMediaMessage, sendTextMessage, uploadMediaMessage } from './hey-api/sdk.gen.js'
import type { SendMedia, XmppCredentials, XmppSettings } from './hey-api/types.gen.js'

client.setConfig({ baseUrl: given.baseUrl, auth: () => given.key, throwOnError: true })

const settings: XmppSettings = { address: given.address, service: given.service, allow_plaintext: true }
const credentials: XmppCredentials = { password: given.password }
const { data: instance } = await createInstance({
  throwOnError: true,
  headers: { Prefer: 'wait=20' },
  body: { name: given.name, network: 'xmpp', settings, credentials, metadata: { made: 'by a generator' } },
})
const kept = instance.settings as XmppSettings

const common = { instance: given.name, to: given.to }
const { data: text } = await sendTextMessage({ throwOnError: true, body: { ...common, text: 'A text' } })
const file: SendMedia = { ...common, kind: 'image', url: given.url }
const { data: url } = await sendMediaMessage({ throwOnError: true, body: file })
const { data: upload } = await uploadMediaMessage({
  throwOnError: true,
  body: { ...common, kind: 'image', file: new File([picture], 'a.png'), metadata: '{"made": "here"}' },
})
tell({ address: kept.address, status: instance.status, text: text.id, url: url.id, upload: upload.id })
