import { randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'
import { quantile } from './figure.ts'
import type { NeighbourOrder, NeighbourReport } from './neighbours.ts'

/*
 * An organization that goes about its business: it lists its instances, sends texts and now and then a file, at a steady
 * rate independent of the responses, so that a stall shows in every call that falls into it.
 */

const { url, key, instance, seconds } = JSON.parse(process.argv[2] ?? '') as NeighbourOrder
const listEvery = 20
const textEvery = 40
const uploadEvery = 250
/** More than the store keeps itself, so that it goes through a file. */
const uploadBytes = 100_000
/** A call that takes longer counts as much as this. */
const timeout = 60_000

const agent = new Agent({ keepAlive: true, maxSockets: 256 })
let failures = 0

/** Resolves with the duration of the call, in milliseconds. */
function call(
  method: string,
  path: string,
  body?: string | Buffer,
  type = 'application/json',
): Promise<number> {
  const begun = performance.now()
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': type }
    const sent = request(`${url}${path}`, { method, agent, headers, timeout }, (response) => {
      if (response.statusCode !== (body ? 202 : 200)) failures++
      response.resume().once('end', () => resolve(performance.now() - begun))
    })
    sent.once('timeout', () => sent.destroy(new Error('no answer')))
    sent.once('error', () => {
      failures++
      resolve(timeout)
    })
    sent.end(body)
  })
}

/** A document with bytes of its own, as a form. */
function formOf(to: string): [type: string, body: Buffer] {
  const fields = { instance, to, kind: 'document' }
  const part = (disposition: string) =>
    `--neighbour\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`
  const head = Object.entries(fields).map(([name, value]) => `${part(`name="${name}"`)}${value}\r\n`)
  head.push(part('name="file"; filename="order.bin"'))
  const body = [Buffer.from(head.join('')), randomBytes(uploadBytes), Buffer.from('\r\n--neighbour--\r\n')]
  return ['multipart/form-data; boundary=neighbour', Buffer.concat(body)]
}

const lists: Promise<number>[] = []
const texts: Promise<number>[] = []
const uploads: Promise<number>[] = []
const begun = performance.now()
const list = setInterval(() => lists.push(call('GET', '/v1/instances')), listEvery)
const text = setInterval(() => {
  const to = `r${texts.length % 500}@accepts.sandbox`
  const body = JSON.stringify({ instance, to, text: 'Your order is on its way.' })
  texts.push(call('POST', '/v1/messages/text', body))
}, textEvery)
const upload = setInterval(() => {
  const [type, body] = formOf(`u${uploads.length % 500}@accepts.sandbox`)
  uploads.push(call('POST', '/v1/messages/media', body, type))
}, uploadEvery)
while (performance.now() - begun < seconds * 1_000) await new Promise((resolve) => setTimeout(resolve, 100))
clearInterval(list)
clearInterval(text)
clearInterval(upload)
const inOrder = async (calls: readonly Promise<number>[]) =>
  (await Promise.all(calls)).toSorted((left, right) => left - right)
const listed = await inOrder(lists)
const uploaded = await inOrder(uploads)
const accepted = await Promise.all(texts)
agent.destroy()
const report: NeighbourReport = {
  p99: quantile(listed, 0.99),
  uploadP99: quantile(uploaded, 0.99),
  accepted: accepted.length,
  failures,
}
process.stdout.write(JSON.stringify(report))
