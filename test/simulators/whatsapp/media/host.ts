import { createHash } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { Fault } from '../faults.ts'
import type { WhatsApp } from '../whatsapp.ts'

const largestFile = 110 * 1024 * 1024

/** Answers uploads under `/mms`, `/o1` and the like, and downloads under `/v`. */
export function mediaHost(whatsapp: WhatsApp): RequestListener {
  return (request, response) => {
    for (const side of [request, response]) side.on('error', () => {})
    const serving = request.method === 'POST' ? upload : download
    serving(whatsapp, request, response).catch(() => response.destroy())
  }
}

async function upload(whatsapp: WhatsApp, request: IncomingMessage, response: ServerResponse) {
  const body = await bodyOf(request)
  whatsapp.counters.upload('tried')
  const fault = whatsapp.faults.take('upload')
  if (await misbehaves(response, fault)) return
  const { pathname, searchParams } = new URL(`https://localhost${request.url}`)
  const [, , , digest = ''] = pathname.split('/')
  const isRight = createHash('sha256').update(body).digest('base64url') === digest.replaceAll('=', '')
  const isToken = whatsapp.media.isAuthorized(searchParams.get('auth') ?? '')
  if (!isToken || searchParams.get('token') !== digest) {
    answerJson(response, 401, { error: 'The token is wrong.' })
    return
  }
  if (!isRight) {
    answerJson(response, 400, { error: 'The digest is not that of the bytes.' })
    return
  }
  const path = whatsapp.media.put(body)
  whatsapp.counters.upload('taken')
  answerJson(response, 200, { url: `https://${whatsapp.media.host}${path}`, direct_path: path })
}

async function download(whatsapp: WhatsApp, request: IncomingMessage, response: ServerResponse) {
  whatsapp.counters.download()
  const fault = whatsapp.faults.take('download')
  if (await misbehaves(response, fault)) return
  const path = request.url ?? ''
  const gone = whatsapp.media.goneWith(path)
  const held = gone === undefined ? whatsapp.media.get(path) : undefined
  if (!held) {
    answerJson(response, gone ?? 404, { error: 'There is no such file.' })
    return
  }
  const file = fault?.kind === 'wrong-bytes' ? Buffer.from(held).fill(0x61, 0, 16) : held
  sendRange(request, response, file)
}

function sendRange(request: IncomingMessage, response: ServerResponse, file: Uint8Array): void {
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
  const head = { 'content-type': 'application/octet-stream', 'accept-ranges': 'bytes' }
  if (from === undefined) {
    response.writeHead(200, { ...head, 'content-length': file.length }).end(file)
    return
  }
  const start = Number(from)
  const end = Math.min(to ? Number(to) + 1 : file.length, file.length)
  if (start >= end) {
    response.writeHead(416, { 'content-range': `bytes */${file.length}` }).end()
    return
  }
  const range = { 'content-range': `bytes ${start}-${end - 1}/${file.length}`, 'content-length': end - start }
  response.writeHead(206, { ...head, ...range }).end(file.subarray(start, end))
}

/** Carries out what goes wrong instead of an answer; false if the answer comes after all. */
async function misbehaves(response: ServerResponse, fault: Fault | undefined): Promise<boolean> {
  switch (fault?.kind) {
    case 'cut':
    case 'close':
      response.destroy()
      return true
    case 'drop':
    case 'stall':
      return true
    case 'refuse':
      answerJson(response, fault.code, { error: 'refused' })
      return true
    case 'endless':
      await pour(response)
      return true
    case 'delay':
      await wait(fault.milliseconds)
      return false
    default:
      return false
  }
}

/** Sends bytes for as long as the client takes them. */
async function pour(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/octet-stream' })
  const bytes = Buffer.alloc(64 * 1024)
  const endless = function* () {
    for (;;) yield bytes
  }
  await pipeline(endless, response)
}

function answerJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > largestFile) throw new Error('The file is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
