import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { keepServiceValue, readServiceValue } from '../organizations/organization-store.ts'
import type { Clock } from '../runtime/clock.ts'
import { bounds } from '../runtime/config/bounds.ts'
import type { Config } from '../runtime/config/config.ts'
import { newId } from '../runtime/ids.ts'
import type { Store, StoreForAll } from '../store/store.ts'
import { TurnsOf } from '../store/turns-of.ts'
import { findConversionPrograms, VoiceNotes } from './content/voice-note.ts'
import { Drafts } from './draft.ts'
import { MediaLibrary } from './media-library.ts'
import { openFileMedia } from './store/files.ts'
import type { MediaStore } from './store/media-store.ts'

/** Everything about files: how they come in, where they are stored, and how they are converted. */
export interface Media {
  readonly drafts: Drafts
  readonly library: MediaLibrary
  readonly voiceNotes: VoiceNotes
  close(): Promise<void>
}

/**
 * Opens the media store that the configuration names, and removes drafts that a crash left. The data folder must be
 * locked, and the store open. Rejects with a sentence for the operator if the media store cannot be used.
 */
export async function openMedia(config: Config, store: StoreForAll, clock: Clock): Promise<Media> {
  const folder = join(config.POSTHORN_DATA, 'media')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const drafts = await Drafts.open(join(folder, 'drafts'))
  const programs = await findConversionPrograms()
  const bytes = await openMediaStore(config, store)
  return {
    drafts,
    library: new MediaLibrary({ store, bytes, clock }),
    voiceNotes: new VoiceNotes({
      drafts,
      programs,
      longest: bounds.voiceNoteSeconds.value,
      queue: config.POSTHORN_VOICE_NOTE_QUEUE,
    }),
    close: () => bytes.close(),
  }
}

/** Returns the place for files that the configuration names. */
export function mediaPlace(config: Config): 'files' | 'postgres' | 's3' {
  return config.POSTHORN_MEDIA_STORE ?? (config.POSTHORN_DATABASE_URL === undefined ? 'files' : 'postgres')
}

/** Only the library of the configured media store is loaded. */
async function openMediaStore(config: Config, store: StoreForAll): Promise<MediaStore> {
  const url = config.POSTHORN_DATABASE_URL
  const place = mediaPlace(config)
  if (place === 's3') {
    const { openS3Media } = await import('./store/s3.ts')
    return openS3Media(s3Settings(config), await installationOf(new TurnsOf(store, 'files')))
  }
  if (place === 'postgres' && url !== undefined) {
    const { openPostgresMedia } = await import('./store/postgres.ts')
    return openPostgresMedia(url)
  }
  return openFileMedia(join(config.POSTHORN_DATA, 'media', 'files'))
}

/** Returns the settings for the bucket that the configuration names. */
export function s3Settings(config: Config) {
  return {
    endpoint: config.POSTHORN_S3_ENDPOINT,
    region: config.POSTHORN_S3_REGION,
    bucket: config.POSTHORN_S3_BUCKET ?? '',
    prefix: config.POSTHORN_S3_PREFIX,
    accessKeyId: config.POSTHORN_S3_ACCESS_KEY_ID ?? '',
    secretAccessKey: config.POSTHORN_S3_SECRET_ACCESS_KEY ?? '',
  }
}

/** The name of the fact in the store. */
export const installationName = 'installation'

/** The name of everything that shares this store, made when it is first asked for. */
async function installationOf(store: Store): Promise<string> {
  await store.transact(keepServiceValue, { name: installationName, value: newId('node') })
  return String(await store.read(readServiceValue, { name: installationName }))
}
