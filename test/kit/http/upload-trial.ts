import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { listMessages } from '../../../src/contract/operations/message-operations.ts'
import type { Message } from '../../../src/contract/resources/message.ts'
import type { TranscriptLine, TranscriptMedia } from '../../../src/networks/sandbox/people/far-end.ts'
import { create, eventually, startObserved } from '../play.ts'
import type { Posthorn } from '../posthorn.ts'
import type { RawReply } from './checked-client.ts'
import { bytesOf, end, field, file, formType } from './multipart.ts'
import { codeOf, faultsOf, rawRequest } from './raw-request.ts'

/** The instances of a trial: for what is to be refused, and for what is to be taken. */
export type TrialInstance = 'refusing' | 'taking'

/** The fields that every upload needs. */
export function fieldsFor(instance: TrialInstance, kind: string): Buffer {
  return bytesOf(field('instance', instance), field('to', 'ana@delivers.sandbox'), field('kind', kind))
}

/** A form with these parts after the fields. */
export function form(parts: Uint8Array, fields: Uint8Array): Buffer {
  return bytesOf(fields, parts, end)
}

export const uploadPath = '/v1/messages/media'

/** A Posthorn to which uploads of all sorts are sent, and which is looked at after each. */
export class UploadTrial {
  readonly posthorn: Posthorn
  readonly #transcript: () => TranscriptLine[]

  private constructor(posthorn: Posthorn, transcript: () => TranscriptLine[]) {
    this.posthorn = posthorn
    this.#transcript = transcript
  }

  static async start(): Promise<UploadTrial> {
    const { posthorn, transcript } = await startObserved()
    for (const name of ['refusing', 'taking']) await create(posthorn.admin, name)
    return new UploadTrial(posthorn, transcript)
  }

  /** Sends a body as it is. */
  post(
    body: string | Uint8Array,
    headers: Readonly<Record<string, string>> = {},
    path = uploadPath,
  ): Promise<RawReply> {
    return rawRequest(this.posthorn, ['POST', path], body, { 'content-type': formType, ...headers })
  }

  /** Returns the refusals of a reply: its code, and the values that it names. Nothing of the request is left. */
  async refusalOf(reply: RawReply): Promise<string[]> {
    await this.nothingStays()
    return [codeOf(reply), ...faultsOf(reply)]
  }

  /** Nothing is left of what came in, and there is no message that should not exist. */
  async nothingStays(): Promise<void> {
    assert.deepEqual(this.drafts(), [])
    const { body } = await this.posthorn.admin.call(listMessages, { query: { instance: 'refusing' } })
    assert.deepEqual(body.data, [])
  }

  /** The files that are coming in. */
  drafts(): string[] {
    return readdirSync(join(this.posthorn.data, 'media', 'drafts'))
  }

  /** The file as the recipient has it, once the accepted message is there. */
  async received(
    reply: RawReply,
  ): Promise<Pick<TranscriptMedia, 'filename' | 'mime_type' | 'size' | 'sha256'>> {
    assert.equal(reply.status, 202, reply.text)
    const { network_message_id: id } = reply.json as Message
    const arrived = async () => this.#transcript().find((line) => line.id === id)
    const line = await eventually('the message to arrive', arrived, (found) => found !== undefined)
    assert.deepEqual(this.drafts(), [])
    const { filename, mime_type, size, sha256 } = line?.media ?? assert.fail('it has no file')
    return { filename, mime_type, size, sha256 }
  }

  /** The next upload is answered as if nothing had been. */
  async goesOn(): Promise<void> {
    const { size } = await this.received(
      await this.post(form(file('the next'), fieldsFor('taking', 'document'))),
    )
    assert.equal(size, 8)
  }
}
