import { spawn } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { FairSemaphore } from '../runtime/fair-semaphore.ts'
import { sizeInWords } from '../runtime/size.ts'
import { type Draft, type Drafts, MediaTooLarge } from './draft.ts'
import { type MediaRefusal, mediaRefusal } from './media-refusal.ts'
import { oggOpus } from './media-type.ts'

/** A voice note that can be sent, or why there is none. */
export type VoiceNote = { readonly ok: true; readonly draft: Draft } | MediaRefusal

/** The programs that convert: ffmpeg, and prlimit (util-linux), which bounds what it may use. */
export interface ConversionPrograms {
  readonly ffmpeg: string
  readonly prlimit: string
}

/** Which voice note is to be made of a draft. */
export interface VoiceNoteWanted {
  /** Organizations take turns. */
  readonly organizationId: string
  /** What the bytes of the draft were found to be. */
  readonly mimeType: string
  /** How many bytes the voice note may have. */
  readonly limit: number
}

export interface VoiceNotesOptions {
  readonly drafts: Drafts
  /** Undefined where they are not installed: then only what is a voice note already can be sent as one. */
  readonly programs: ConversionPrograms | undefined
  /** How long a conversion may take, in seconds. */
  readonly seconds?: number
}

/** What a conversion may use. It decodes one stream, for which ffmpeg takes some 150 MB of address space. */
const memoryBytes = 1024 * 1024 * 1024
const usualSeconds = 60

/** Each takes a processor for itself. */
const conversionsAtOnce = 2

/**
 * By what a file was found to be, how ffmpeg is to read it. It never chooses by itself: some of the formats that it knows
 * name other files and addresses to read.
 */
const demuxers: ReadonlyMap<string, string> = new Map([
  [oggOpus, 'ogg'],
  ['audio/ogg', 'ogg'],
  ['audio/mpeg', 'mp3'],
  ['audio/mp4', 'mov'],
  ['audio/3gpp', 'mov'],
  ['audio/aac', 'aac'],
  ['audio/wav', 'wav'],
  ['audio/flac', 'flac'],
  ['audio/amr', 'amr'],
  ['audio/webm', 'matroska'],
])

/** Makes voice notes, which are OGG with Opus, of audio in other formats. */
export class VoiceNotes {
  readonly #drafts: Drafts
  readonly #programs: ConversionPrograms | undefined
  readonly #seconds: number
  readonly #converting = new FairSemaphore({ limit: conversionsAtOnce })

  constructor({ drafts, programs, seconds = usualSeconds }: VoiceNotesOptions) {
    this.#drafts = drafts
    this.#programs = programs
    this.#seconds = seconds
  }

  /**
   * The voice note for a draft: the draft itself where it is one, else a new draft of at most `limit` bytes, for the caller to
   * keep or discard beside the first. Rejects with `StoreUnavailable` when the disk does not take it.
   */
  async of(draft: Draft, { organizationId, mimeType, limit }: VoiceNoteWanted): Promise<VoiceNote> {
    if (mimeType === oggOpus) return { ok: true, draft }
    const programs = this.#programs
    if (!programs) return mediaRefusal('voice_not_convertible', 'this server has no ffmpeg to convert with')
    const demuxer = demuxers.get(mimeType)
    if (demuxer === undefined) return mediaRefusal('voice_not_convertible', 'it is in a format of its own')
    return this.#converting.run(organizationId, () => this.#convert(programs, { draft, demuxer, limit }))
  }

  async #convert(
    { ffmpeg, prlimit }: ConversionPrograms,
    { draft, demuxer, limit }: { draft: Draft; demuxer: string; limit: number },
  ): Promise<VoiceNote> {
    const path = await draft.file()
    const bounds = [`--as=${memoryBytes}`, `--cpu=${this.#seconds}`, '--fsize=0', '--core=0', '--nofile=64']
    const child = spawn(prlimit, [...bounds, ffmpeg, ...orders(path, demuxer)], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: {},
      cwd: '/',
      timeout: this.#seconds * 1000,
      killSignal: 'SIGKILL',
    })
    const ended = new Promise<boolean>((resolve) => {
      child.once('error', () => resolve(false)).once('close', (code) => resolve(code === 0))
    })
    try {
      const converted = await this.#drafts.receive(child.stdout, limit)
      if ((await ended) && converted.size > 0) return { ok: true, draft: converted }
      await converted.discard()
      return mediaRefusal('voice_not_convertible', 'it may be damaged, or too long')
    } catch (error) {
      child.kill('SIGKILL')
      if (!(error instanceof MediaTooLarge)) throw error
      return mediaRefusal('media_too_large', `as a voice note, at most ${sizeInWords(limit)}`)
    } finally {
      await ended
    }
  }
}

/** The first audio stream of a file, nothing else of it, as Opus in one channel for speech, to standard output. */
function orders(path: string, demuxer: string): string[] {
  const reading = ['-protocol_whitelist', 'file', '-f', demuxer, '-i', `file:${path}`]
  const choosing = ['-map', '0:a:0', '-map_metadata', '-1', '-map_chapters', '-1']
  const opus = ['-c:a', 'libopus', '-b:a', '32k', '-vbr', 'constrained', '-application', 'voip']
  const quiet = ['-nostdin', '-hide_banner', '-loglevel', 'quiet', '-threads', '1']
  return [...quiet, ...reading, ...choosing, ...opus, '-ac', '1', '-ar', '48000', '-f', 'ogg', 'pipe:1']
}

/** The programs, where both are installed. Looked for once, when the server starts. */
export async function findConversionPrograms(
  path = process.env.PATH ?? '',
): Promise<ConversionPrograms | undefined> {
  const [ffmpeg, prlimit] = await Promise.all([findProgram('ffmpeg', path), findProgram('prlimit', path)])
  return ffmpeg === undefined || prlimit === undefined ? undefined : { ffmpeg, prlimit }
}

async function findProgram(name: string, path: string): Promise<string | undefined> {
  for (const folder of path.split(delimiter)) {
    const file = join(folder, name)
    if (folder !== '' && (await isExecutable(file))) return file
  }
  return undefined
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  )
}
