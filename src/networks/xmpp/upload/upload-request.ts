import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { Writable } from 'node:stream'
import { allowedAddresses } from '../../../net/dial/dial.ts'
import { answering } from '../../../net/dial/sockets.ts'
import { freeBuffer } from '../../../runtime/free-buffer.ts'
import type { OutgoingFile } from '../../driver/message.ts'
import { transfer } from '../../kit/transfer.ts'
import type { XmppDialOptions } from '../stream/dial.ts'
import { refusedByStatus } from './upload-refusal.ts'
import { hostOf, type Slot } from './upload-slot.ts'

/** An upload in which nothing moved for too long. */
export class UploadStalled extends Error {
  override readonly name = 'UploadStalled'
}

export interface UploadRequestOptions extends XmppDialOptions {
  /** Milliseconds for which nothing may move. */
  readonly timeout: number
  readonly signal: AbortSignal
}

/**
 * Writes a file to its slot by HTTP PUT and resolves once the service has accepted it. The host is checked like the XMPP server,
 * its certificate must lead to the same authorities, redirections are not followed, and of the response only the status is
 * read. Rejects with `UploadRefused`, `UploadStalled`, a `FileFault`, or the error of a connection, and when the signal aborts.
 */
export async function upload(file: OutgoingFile, slot: Slot, options: UploadRequestOptions): Promise<void> {
  const { guard, names, signal } = options
  const addresses = await allowedAddresses(hostOf(slot.put), guard, names, { signal })
  const request = open(file, slot, answering(addresses), options)
  const sent = transfer(file, bodyOf(request, file.size), signal)
  try {
    await Promise.all([taken(request), sent])
  } finally {
    request.destroy()
    // The file is let go of before the caller learns of the end.
    await sent.catch(() => {})
  }
}

function open(
  file: OutgoingFile,
  slot: Slot,
  lookup: LookupFunction,
  { ca, timeout, signal }: UploadRequestOptions,
): ClientRequest {
  const choices: RequestOptions = {
    method: 'PUT',
    agent: false,
    lookup,
    timeout,
    signal,
    headers: {
      ...Object.fromEntries([...slot.headers].map(([name, values]) => [name, [...values]])),
      'Content-Type': file.mime_type,
      'Content-Length': file.size,
    },
  }
  const request =
    slot.put.protocol === 'http:'
      ? httpRequest(slot.put, choices)
      : httpsRequest(slot.put, { ...choices, ...(ca !== undefined && { ca: [ca].flat() }) })
  return request.on('timeout', () => request.destroy(new UploadStalled()))
}

/**
 * Returns the body of a request. It ends together with its last byte: the service may respond to that byte, and the
 * connection be over, before the writer has come to say that it was the last. The memory of earlier bytes is given back once
 * they are sent.
 */
function bodyOf(request: ClientRequest, size: number): Writable {
  let missing = size
  const body = new Writable({
    write(chunk: Buffer, _encoding, done) {
      missing -= chunk.length
      if (missing === 0) request.end(chunk)
      if (missing === 0 || request.write(chunk, () => freeBuffer(chunk))) done()
      else request.once('drain', done)
    },
    final(done) {
      if (size === 0) request.end()
      done()
    },
    destroy(error, done) {
      if (error) request.destroy()
      done(error)
    },
  })
  request.on('error', (error) => body.destroy(error))
  request.on('close', () => {
    if (missing > 0) body.destroy(hungUp())
  })
  return body
}

function hungUp(): Error {
  return Object.assign(new Error('the service closed the connection'), { code: 'ECONNRESET' })
}

/** Resolves when the service said that it has the file, and rejects as soon as it says anything else. */
function taken(request: ClientRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    request.once('response', (response: IncomingMessage) => {
      const { statusCode = 0 } = response
      // The rest of the response is not wanted, however long it is.
      response.on('error', () => {}).resume()
      if (statusCode >= 200 && statusCode < 300) resolve()
      else reject(refusedByStatus(statusCode))
    })
    request.on('error', reject)
    request.once('close', () => reject(hungUp()))
  })
}
