import { findPrograms } from '../../media/content/voice-note.ts'
import { type Finding, findingsOn } from './finding.ts'

const { ok, warn } = findingsOn('voice notes')

/** Examines whether audio can be converted to voice notes, which needs all of the programs. `path` as in the environment. */
export async function examineVoiceNotes(path = process.env.PATH ?? ''): Promise<Finding> {
  const programs = await findPrograms(path)
  const missing = Object.keys(programs).filter(
    (name) => programs[name as keyof typeof programs] === undefined,
  )
  if (missing.length === 0) return ok(`converted with ${programs.ffmpeg}`)
  // Without ffmpeg, no conversion was intended; with it, the others were forgotten.
  if (programs.ffmpeg === undefined)
    return ok('not converted, because ffmpeg is not installed; OGG with Opus is sent as it is')
  return warn(
    `not converted: ffmpeg is in the PATH, but ${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not`,
    `put ${missing.join(' and ')} in the PATH of the server (packages ffmpeg and util-linux), and restart it`,
  )
}
