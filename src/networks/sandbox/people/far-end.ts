import { randomUUID } from 'node:crypto'
import { createWriteStream, openSync, writeSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { MediaKind } from '../../../contract/resources/message.ts'
import type { MessageTemplate } from '../../../contract/resources/template.ts'
import type { OutgoingFile, OutgoingMessage } from '../../driver/message.ts'
import { CheckedFile } from '../../kit/transfer.ts'
import { wordsIn } from './words-in.ts'

/** One line of the transcript: a message that reached its recipient. */
export interface TranscriptLine {
  readonly id: string
  readonly to: string
  /** The text, that of the template or, of a file, the caption; empty if there is none. */
  readonly text: string
  readonly media?: TranscriptMedia
  readonly template?: MessageTemplate
  /** Present unless it is a text, a file or a template. */
  readonly kind?: OutgoingMessage['kind'] | 'typing' | 'group'
  /** Its content as it was sent. */
  readonly content?: object
  /** The id of the message that it changes or replies to. */
  readonly about?: string
  readonly mentions?: readonly string[]
  readonly topic?: string
  /** The time for which the recipient sees that the account is writing; present if that is all that the line says. */
  readonly seconds?: number
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The setting `account` of the instance that sent it, if it has one. */
  readonly instance?: string
  /** The epoch in which the instance was when it sent this: a node that has lost it sends under an older one. */
  readonly epoch: number
  /** True if the recipient already had a message with this id: it sees nothing new. */
  readonly repeat: boolean
}

/** The file of a message. Its bytes are in the folder `<transcript>.files`, named by their digest. */
export interface TranscriptMedia {
  readonly kind: MediaKind
  readonly caption: string | null
  readonly voice: boolean
  readonly filename: string
  readonly mime_type: string
  /** In bytes. */
  readonly size: number
  readonly sha256: string
}

/** Message ids that are remembered at least, to notice repetitions; at most twice as many are. */
const remembered = 20_000

/**
 * The recipients' side, shared by all connections of one driver. It recognizes repeated messages, and keeps a transcript
 * if asked to.
 */
export class FarEnd {
  readonly #transcript: string | undefined
  #file: number | null = null
  #recent = new Set<string>()
  #older = new Set<string>()

  constructor(transcript?: string) {
    this.#transcript = transcript
  }

  /**
   * Hands a message to its recipient and returns whether it is a repetition. The transcript is written before this
   * returns, so what was accepted is recorded even if the process is killed at once. Throws if writing fails.
   */
  take(
    message: OutgoingMessage,
    { at, instance, epoch }: Pick<TranscriptLine, 'at' | 'epoch'> & { readonly instance: string | undefined },
  ): boolean {
    const key = `${message.id} ${message.to}`
    const repeat = this.#recent.has(key) || this.#older.has(key)
    if (this.#transcript !== undefined) {
      const { id, to } = message
      this.#append(this.#transcript, {
        id,
        to,
        ...contentOf(message),
        at,
        ...(instance !== undefined && { instance }),
        epoch,
        repeat,
      })
    }
    if (!repeat) this.#remember(key)
    return repeat
  }

  /** Notes what became of a group. */
  changes(
    group: { readonly to: string; readonly content: object },
    { at, instance, epoch }: Pick<TranscriptLine, 'at' | 'epoch'> & { readonly instance: string | undefined },
  ): void {
    if (this.#transcript === undefined) return
    const from = instance === undefined ? {} : { instance }
    this.#append(this.#transcript, {
      ...{ id: '', text: '', kind: 'group', ...group, at },
      ...{ ...from, epoch, repeat: false },
    })
  }

  /** Shows a recipient that the account is writing. */
  sees(
    { to, seconds }: { readonly to: string; readonly seconds: number },
    { at, instance, epoch }: Pick<TranscriptLine, 'at' | 'epoch'> & { readonly instance: string | undefined },
  ): void {
    if (this.#transcript === undefined) return
    const from = instance === undefined ? {} : { instance }
    this.#append(this.#transcript, {
      ...{ id: '', to, text: '', kind: 'typing', seconds, at },
      ...{ ...from, epoch, repeat: false },
    })
  }

  /**
   * Reads a file to its end, as its recipient does before the message is accepted, and stores the bytes if there is a
   * transcript. Rejects with an `UploadFault` if the file is at fault, with an `AbortError`, and if the bytes cannot be stored; then nothing is left of them.
   */
  async receive(file: OutgoingFile, signal: AbortSignal): Promise<void> {
    const checked = new CheckedFile(file)
    if (this.#transcript === undefined) return await pipeline(checked.open(), nowhere(), { signal })
    const folder = `${this.#transcript}.files`
    const arriving = join(folder, `.${randomUUID()}`)
    await mkdir(folder, { recursive: true })
    try {
      await pipeline(checked.open(), createWriteStream(arriving), { signal })
      await rename(arriving, join(folder, file.sha256))
    } catch (caught) {
      await rm(arriving, { force: true })
      throw caught
    }
  }

  /** Two generations; the older one is forgotten as a whole, which bounds memory without a list to maintain. */
  #remember(key: string): void {
    if (this.#recent.size >= remembered) {
      this.#older = this.#recent
      this.#recent = new Set()
    }
    this.#recent.add(key)
  }

  /** One write per line on a file opened for appending, so that several processes can share one transcript. */
  #append(path: string, line: TranscriptLine): void {
    this.#file ??= openSync(path, 'a')
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`)
    if (writeSync(this.#file, bytes) < bytes.length) throw new Error('the transcript was written in part')
  }
}

type Content = Pick<
  TranscriptLine,
  'text' | 'media' | 'template' | 'kind' | 'content' | 'about' | 'mentions' | 'topic'
>

function contentOf(message: OutgoingMessage): Content {
  return { text: wordsIn(message), ...partsOf(message), ...aboutOf(message) }
}

function aboutOf(message: OutgoingMessage): Pick<Content, 'about' | 'mentions' | 'topic'> {
  const target = 'target' in message ? message.target : message.replyTo
  const mentions = 'mentions' in message ? message.mentions : undefined
  const topic = 'topic' in message ? message.topic : undefined
  return {
    ...(target && { about: target.network_message_id }),
    ...(mentions && { mentions }),
    ...(topic !== undefined && { topic }),
  }
}

function partsOf(message: OutgoingMessage): Omit<Content, 'text'> {
  const { kind } = message
  switch (kind) {
    case 'text':
      return {}
    case 'template':
      return { template: message.template }
    case 'location':
      return { kind, content: message.location }
    case 'contacts':
      return { kind, content: message.contacts }
    case 'interactive':
      return { kind, content: message.interactive }
    case 'poll':
      return { kind, content: message.poll }
    case 'reaction':
    case 'correction':
    case 'retraction':
      return { kind }
    default: {
      const { caption, voice, file } = message
      const { filename, mime_type, size, sha256 } = file
      return { media: { kind, caption, voice, filename, mime_type, size, sha256 } }
    }
  }
}

function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() })
}
