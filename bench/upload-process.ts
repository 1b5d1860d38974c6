import { randomBytes } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { open } from 'node:fs/promises'
import { client, xml } from '@xmpp/client'
import type { UploadOrder, UploadTimes } from './xmpp-upload.ts'

/*
 * Uploads the same file in two ways, in turns: through Posthorn until the message is sent, and by a plain fetch to a slot of
 * the XMPP server's own upload service (XEP-0363).
 */

const order = JSON.parse(process.argv[2] ?? '') as UploadOrder
const { file, size, xmpp, posthorn, rounds } = order
const upload = 'urn:xmpp:http:upload:0'
const filename = 'film.bin'
const mimeType = 'application/octet-stream'

/** The same bytes are kept once for each organization, which would be too easy. */
async function alter(): Promise<void> {
  const opened = await open(file, 'r+')
  await opened.write(randomBytes(16), 0, 16, 0)
  await opened.close()
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

async function uploadPlainly(): Promise<number> {
  const attributes = { xmlns: upload, filename, size: String(size), 'content-type': mimeType }
  const request = xml('iq', { type: 'get', to: `upload.${xmpp.domain}` }, xml('request', attributes))
  const slot = (await phone.iqCaller.request(request)).getChild('slot', upload)
  const url = slot?.getChild('put')?.attrs.url
  const headers = new Headers({ 'content-type': mimeType })
  for (const header of slot?.getChild('put')?.getChildren('header') ?? [])
    headers.set(header.attrs.name, header.getText())
  const body = await openAsBlob(file)
  return timed(async () => {
    const response = await fetch(url, { method: 'PUT', headers, body })
    if (response.status !== 201) throw new Error(`the upload service answered ${response.status}`)
  })
}

async function uploadToPosthorn(): Promise<number> {
  const form = new FormData()
  for (const [name, value] of Object.entries(posthorn.fields)) form.set(name, value)
  form.set('file', await openAsBlob(file), filename)
  const headers = { authorization: `Bearer ${posthorn.key}`, prefer: 'wait=60' }
  return timed(async () => {
    const response = await fetch(`${posthorn.url}/v1/messages/media`, { method: 'POST', headers, body: form })
    const message = (await response.json()) as { status: unknown }
    if (message.status !== 'sent') throw new Error(`it was not sent: ${JSON.stringify(message)}`)
  })
}

const { service, domain, username, password } = xmpp
const phone = client({ service, domain, username, password })
await phone.start()
const times: UploadTimes[] = []
for (let round = 0; round <= rounds; round++) {
  await alter()
  const pair = { plain: await uploadPlainly(), posthorn: await uploadToPosthorn() }
  // The first one compiles the code on either side.
  if (round > 0) times.push(pair)
}
await phone.stop()
process.stdout.write(JSON.stringify(times))
