import { spawn } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Draft } from '../../contract/handler.ts'
import { FairSemaphore } from '../../runtime/limits/fair-semaphore.ts'
import { sizeInWords } from '../../runtime/text/size.ts'
import { type Drafts, MediaTooLarge } from '../draft.ts'
import { type MediaRefusal, mediaRefusal } from './media-refusal.ts'
import { oggOpus } from './media-type.ts'

/** A voice note that can be sent, or why there is none. */
export type VoiceNote = { readonly ok: true; readonly draft: Draft } | MediaRefusal

/** The programs that convert: ffprobe and ffmpeg, and prlimit (util-linux), which bounds what they may use. */
export interface ConversionPrograms {
  readonly ffprobe: string
  readonly ffmpeg: string
  readonly prlimit: string
}

/** The voice note that is to be made of a draft. */
export interface VoiceNoteWanted {
  /** Organizations take turns. */
  readonly organizationId: string
  /** The detected type of the bytes of the draft. */
  readonly mimeType: string
  /** The most bytes that the voice note may have. */
  readonly limit: number
}

export interface VoiceNotesOptions {
  readonly drafts: Drafts
  /** Undefined if they are not installed: then only files that already are voice notes can be sent as such. */
  readonly programs: ConversionPrograms | undefined
  /** The most seconds that a conversion may take. */
  readonly seconds?: number
  /** The most seconds of audio that are converted. */
  readonly longest?: number
  /** The most voice notes of one organization that may wait. */
  readonly queue?: number
}

/** Memory that a conversion may use. It decodes one stream, for which ffmpeg takes some 150 MB of address space. */
const memoryBytes = 1024 * 1024 * 1024
const usualSeconds = 60
const usualLongest = 900
const usualQueue = 20

/** The most seconds for finding out the length of audio. */
const probeSeconds = 10

/** Each takes a processor for itself, and no organization takes all of them. */
const conversionsAtOnce = { limit: 2, limitPerParty: 1 }
/** As many organizations may fill their queues. */
const fullQueues = 10

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
  readonly #longest: number
  readonly #converting: FairSemaphore

  constructor(options: VoiceNotesOptions) {
    const { drafts, programs, seconds = usualSeconds, longest = usualLongest, queue = usualQueue } = options
    this.#drafts = drafts
    this.#programs = programs
    this.#seconds = seconds
    this.#longest = longest
    this.#converting = new FairSemaphore({
      ...conversionsAtOnce,
      queuePerParty: queue,
      queue: fullQueues * queue,
    })
  }

  /** Numbers of voice notes being converted, and waiting to be. */
  get conversions(): { readonly running: number; readonly waiting: number } {
    const { running, waiting } = this.#converting
    return { running, waiting }
  }

  /**
   * The voice note for a draft: the draft itself if it is one, otherwise a new draft of at most `limit` bytes, for the caller to
   * store or discard in addition to the first. Organizations take turns. Rejects with `StoreUnavailable` if the disk fails,
   * and with `QueueFull` when too many wait.
   */
  async of(draft: Draft, { organizationId, mimeType, limit }: VoiceNoteWanted): Promise<VoiceNote> {
    if (mimeType === oggOpus) return { ok: true, draft }
    const programs = this.#programs
    if (!programs) return mediaRefusal('voice_not_convertible', 'this server has no ffmpeg to convert with')
    const demuxer = demuxers.get(mimeType)
    if (demuxer === undefined) return mediaRefusal('voice_not_convertible', 'its format is unknown')
    return this.#converting.run(organizationId, () => this.#convert(programs, { draft, demuxer, limit }))
  }

  async #convert(
    programs: ConversionPrograms,
    { draft, demuxer, limit }: { draft: Draft; demuxer: string; limit: number },
  ): Promise<VoiceNote> {
    const path = await draft.file()
    const tooLong = mediaRefusal('voice_too_long', `it may last ${this.#longest} seconds`)
    const announced = await secondsOf(programs, path, demuxer)
    if (announced === undefined) return mediaRefusal('voice_not_convertible', 'it may be damaged')
    if (announced > this.#longest) return tooLong
    const { child, ended } = run(programs, 'ffmpeg', orders(path, demuxer, this.#longest), this.#seconds)
    const said = lastWords(child.stderr)
    try {
      const converted = await this.#drafts.receive(child.stdout, limit)
      const isWhole = (await ended) && converted.size > 0
      // The length that a file states need not be true.
      const isTooLong = Number(said().match(progress)?.at(-1)?.slice(12)) > (this.#longest + 0.5) * 1_000_000
      if (isWhole && !isTooLong) return { ok: true, draft: converted }
      await converted.discard()
      return isTooLong ? tooLong : mediaRefusal('voice_not_convertible', 'it may be damaged, or too long')
    } catch (error) {
      child.kill('SIGKILL')
      if (!(error instanceof MediaTooLarge)) throw error
      return mediaRefusal('media_too_large', `as a voice note, at most ${sizeInWords(limit)}`)
    } finally {
      await ended
    }
  }
}

/** Runs one of the programs with limits. `ended` says whether it succeeded. */
function run(
  programs: ConversionPrograms,
  program: 'ffmpeg' | 'ffprobe',
  words: readonly string[],
  seconds: number,
) {
  const bounds = [`--as=${memoryBytes}`, `--cpu=${seconds}`, '--fsize=0', '--core=0', '--nofile=64']
  const child = spawn(programs.prlimit, [...bounds, programs[program], ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {},
    cwd: '/',
    timeout: seconds * 1000,
    killSignal: 'SIGKILL',
  })
  const ended = new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false)).once('close', (code) => resolve(code === 0))
  })
  return { child, ended }
}

/** The progress that ffmpeg reports again and again, in microseconds. */
const progress = /out_time_us=\d+/g

/** Remembers the end of what a program says. */
function lastWords(output: Readable): () => string {
  let said = ''
  output.setEncoding('latin1').on('data', (words: string) => {
    said = (said + words).slice(-2_000)
  })
  return () => said
}

/** The declared duration of an audio file, in seconds: NaN if it has none, undefined if it cannot be read. */
async function secondsOf(
  programs: ConversionPrograms,
  path: string,
  demuxer: string,
): Promise<number | undefined> {
  const shown = ['-show_entries', 'format=duration', '-of', 'default=noprint_wrappers=1:nokey=1']
  const words = ['-loglevel', 'quiet', ...shown, ...reading(path, demuxer)]
  const { child, ended } = run(programs, 'ffprobe', words, probeSeconds)
  child.stderr.resume()
  const said = lastWords(child.stdout)
  return (await ended) ? Number.parseFloat(said()) : undefined
}

function reading(path: string, demuxer: string): string[] {
  return ['-protocol_whitelist', 'file', '-f', demuxer, '-i', `file:${path}`]
}

/**
 * The first audio stream of a file, nothing else of it, as Opus in one channel for speech, to standard output; and to
 * standard error how far it is. It ends a second after the maximum, which reveals audio that is longer.
 */
function orders(path: string, demuxer: string, longest: number): string[] {
  const choosing = ['-map', '0:a:0', '-map_metadata', '-1', '-map_chapters', '-1']
  const opus = ['-c:a', 'libopus', '-b:a', '32k', '-vbr', 'constrained', '-application', 'voip']
  const quiet = ['-nostdin', '-hide_banner', '-loglevel', 'quiet', '-threads', '1']
  const form = ['-ac', '1', '-ar', '48000', '-t', `${longest + 1}`, '-f', 'ogg']
  const progressFlags = ['-nostats', '-progress', 'pipe:2']
  return [...quiet, ...progressFlags, ...reading(path, demuxer), ...choosing, ...opus, ...form, 'pipe:1']
}

/** The programs, if all are installed. Looked for once, when the server starts. */
export async function findConversionPrograms(
  path = process.env.PATH ?? '',
): Promise<ConversionPrograms | undefined> {
  const { ffprobe, ffmpeg, prlimit } = await findPrograms(path)
  return ffprobe && ffmpeg && prlimit ? { ffprobe, ffmpeg, prlimit } : undefined
}

/** The path of each program; undefined if it is not installed. `path` as in the environment. */
export async function findPrograms(
  path: string,
): Promise<Readonly<Record<keyof ConversionPrograms, string | undefined>>> {
  const names = ['ffprobe', 'ffmpeg', 'prlimit']
  const [ffprobe, ffmpeg, prlimit] = await Promise.all(names.map((name) => findProgram(name, path)))
  return { ffprobe, ffmpeg, prlimit }
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
