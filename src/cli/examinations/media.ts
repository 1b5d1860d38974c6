import { randomBytes } from 'node:crypto'
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Draft } from '../../contract/handler.ts'
import { Drafts } from '../../media/draft.ts'
import { mediaPlace, s3Settings } from '../../media/media.ts'
import type { MediaStore } from '../../media/store/media-store.ts'
import type { Config } from '../../runtime/config/config.ts'
import { newId } from '../../runtime/ids.ts'
import { type Finding, findingsOn } from './finding.ts'
import { pendingMigrations, type StoreFacts } from './store-facts.ts'

const { fail, ok } = findingsOn('files')

/**
 * Examines where the files of messages are stored, by storing a small one for a moment. A running server is not disturbed:
 * no record refers to the file, and it is removed again.
 */
export async function examineMedia(config: Config, facts: StoreFacts): Promise<Finding> {
  const folder = join(config.POSTHORN_DATA, 'media')
  const place = mediaPlace(config)
  if (place === 'files' && !existsSync(folder))
    return ok(`${folder} does not exist yet; the first start creates it`)
  if (place === 'postgres' && pendingMigrations(facts).length > 0)
    return ok('in PostgreSQL; the next start creates the tables for them')
  const { location, advice, examine } = examinations[place](config, facts)
  try {
    await withDraft(folder, examine)
    return ok(`${location}: a test file was written, read and removed`)
  } catch (error) {
    return fail(`${location}: ${(error as Error).message}`, advice)
  }
}

interface Examination {
  readonly location: string
  /** Advice if it fails. */
  readonly advice: string
  examine(draft: Draft): Promise<void>
}

const examinations: Readonly<
  Record<ReturnType<typeof mediaPlace>, (config: Config, facts: StoreFacts) => Examination>
> = {
  files(config) {
    const folder = join(config.POSTHORN_DATA, 'media')
    const advice = 'let the user that runs the server write there; until then, Posthorn accepts no files'
    return { location: `in ${folder}`, advice, examine: async (draft) => examineFolder(folder, draft) }
  },
  postgres({ POSTHORN_DATABASE_URL: url = '' }) {
    const { host, pathname } = new URL(url)
    const advice = 'let the database user read and write its tables; until then, Posthorn accepts no files'
    const open = async () => (await import('../../media/store/postgres.ts')).openPostgresMedia(url)
    return {
      location: `in PostgreSQL at ${host}${pathname}`,
      advice,
      examine: (draft) => tryOut(open, draft),
    }
  },
  s3(config, { installation }) {
    const settings = s3Settings(config)
    const { endpoint, bucket, prefix } = settings
    const host = endpoint === undefined ? 'Amazon S3' : new URL(endpoint).host
    const advice =
      'correct the settings POSTHORN_S3_…, or the object storage; until then, Posthorn accepts no files'
    const open = async () => (await import('../../media/store/s3.ts')).visitS3Media(settings, installation)
    const location = `in the bucket ${bucket} at ${host}, under ${prefix}`
    return { location, advice, examine: (draft) => tryOut(open, draft) }
  },
}

/** Makes a draft in the folder in which the server makes its own or, before the first start, in a temporary folder. */
async function withDraft(media: string, use: (draft: Draft) => Promise<void>): Promise<void> {
  const folder = [join(media, 'drafts'), media].find((place) => existsSync(place)) ?? tmpdir()
  const drafts = Drafts.beside(folder)
  const draft = await drafts.receive(Readable.from([randomBytes(1000)]), 1000)
  try {
    await use(draft)
  } finally {
    await draft.discard()
  }
}

const misread = 'the bytes read are not the bytes written'

/** Stores nothing in the folder itself: a folder created there would belong to this user, not to the server's. */
async function examineFolder(media: string, draft: Draft): Promise<void> {
  const path = await draft.file()
  if (readFileSync(path).length !== draft.size) throw new Error(misread)
  const files = join(media, 'files')
  if (!existsSync(files)) return
  accessSync(files, constants.R_OK | constants.W_OK | constants.X_OK)
  if (statSync(files).dev !== statSync(path).dev)
    throw new Error(
      '`files` and `drafts` in it must be on the same file system, because files are moved between them',
    )
}

async function tryOut(open: () => Promise<MediaStore>, draft: Draft): Promise<void> {
  const store = await open()
  const id = newId('med')
  try {
    await store.put(id, draft)
    let size = 0
    for await (const bytes of store.read({ id, size: draft.size })) size += bytes.length
    if (size !== draft.size) throw new Error(misread)
    for await (const _ of store.ids()) break
  } finally {
    // Removing a file that was never stored is no error; the error that prevented it is already on its way.
    await store.remove([id]).finally(() => store.close())
  }
}
