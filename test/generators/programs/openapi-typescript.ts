import createClient from 'openapi-fetch'
import { given, picture, tell } from './given.js'
import type { components, paths } from './openapi-typescript/schema.js'

type Schemas = components['schemas']

const client = createClient<paths>({
  baseUrl: given.baseUrl,
  headers: { authorization: `Bearer ${given.key}` },
})

const settings: Schemas['XmppSettings'] = {
  address: given.address,
  service: given.service,
  allow_plaintext: true,
}
const credentials: Schemas['XmppCredentials'] = { password: given.password }
const instance = await client.POST('/v1/instances', {
  params: { header: { Prefer: 'wait=20' } },
  body: { name: given.name, network: 'xmpp', settings, credentials, metadata: { made: 'by a generator' } },
})
if (!instance.data) throw new Error(instance.error.code)
const kept = instance.data.settings as Schemas['XmppSettings']

const common = { instance: given.name, to: given.to }
const text = await client.POST('/v1/messages/text', { body: { ...common, text: 'A text' } })
const url = await client.POST('/v1/messages/media', {
  body: { ...common, kind: 'image', url: given.url },
})
const upload = await client.POST('/v1/messages/media/upload', {
  // The generator has no type for a file but text, as its documentation says.
  body: { ...common, kind: 'image', filename: 'a.png', file: new Blob([picture]) as unknown as string },
  bodySerializer(body) {
    const form = new FormData()
    for (const [name, value] of Object.entries(body)) form.append(name, value)
    return form
  },
})
if (!text.data || !url.data || !upload.data) throw new Error(JSON.stringify([text, url, upload]))
tell({
  address: kept.address,
  status: instance.data.status,
  text: text.data.id,
  url: url.data.id,
  upload: upload.data.id,
})
