import { randomBytes } from 'node:crypto'
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type Draft, Drafts } from '../../media/draft.ts'
import { mediaPlace, s3Settings } from '../../media/media.ts'
import type { MediaStore } from '../../media/media-store.ts'
import type { Config } from '../../runtime/config.ts'
import { newId } from '../../runtime/ids.ts'
import { type Finding, fail, ok } from './finding.ts'
import { pendingMigrations, type StoreFacts } from './store-facts.ts'

const subject = 'files'

/**
 * Examines where the files of messages come in and are kept, by keeping a small one for a moment. A server that runs there is
 * not disturbed: nobody knows of the file, and it is gone again.
 */
export async function examineMedia(config: Config, facts: StoreFacts): Promise<Finding> {
  const folder = join(config.POSTHORN_DATA, 'media')
  const place = mediaPlace(config)
  if (place === 'files' && !existsSync(folder))
    return ok(subject, `${folder} is not there yet; the first start makes it`)
  if (place === 'postgres' && pendingMigrations(facts).length > 0)
    return ok(subject, 'in PostgreSQL, where the next start makes the tables for them')
  const { where, advice, examine } = examinations[place](config, facts)
  try {
    await withDraft(folder, examine)
    return ok(subject, `${where}: a small one was written, read and removed`)
  } catch (error) {
    return fail(subject, `${where}: ${(error as Error).message}`, advice)
  }
}

interface Examination {
  readonly where: string
  /** What to do where it fails. */
  readonly advice: string
  examine(draft: Draft): Promise<void>
}

const examinations: Readonly<
  Record<ReturnType<typeof mediaPlace>, (config: Config, facts: StoreFacts) => Examination>
> = {
  files(config) {
    const folder = join(config.POSTHORN_DATA, 'media')
    const advice = 'let the user of the server write there; without it, no file is accepted'
    return { where: `in ${folder}`, advice, examine: async (draft) => examineFolder(folder, draft) }
  },
  postgres({ POSTHORN_DATABASE_URL: url = '' }) {
    const { host, pathname } = new URL(url)
    const advice = 'let the user of the database read and write its tables; without it, no file is accepted'
    const open = async () => (await import('../../media/postgres.ts')).openPostgresMedia(url)
    return { where: `in PostgreSQL at ${host}${pathname}`, advice, examine: (draft) => tryOut(open, draft) }
  },
  s3(config, { installation }) {
    const settings = s3Settings(config)
    const { endpoint, bucket, prefix } = settings
    const host = endpoint === undefined ? 'Amazon S3' : new URL(endpoint).host
    const advice =
      'correct the settings POSTHORN_S3_…, or the object storage; without it, no file is accepted'
    const open = async () => (await import('../../media/s3.ts')).visitS3Media(settings, installation)
    const where = `in the bucket ${bucket} at ${host}, under ${prefix}`
    return { where, advice, examine: (draft) => tryOut(open, draft) }
  },
}

/** Makes a draft where the server makes its own, and elsewhere before the first start. */
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

const misread = 'what was read is not what was written'

/** Nothing is kept in the folder itself: a folder that is made in it would be this user's, and not the server's. */
async function examineFolder(media: string, draft: Draft): Promise<void> {
  const path = await draft.file()
  if (readFileSync(path).length !== draft.size) throw new Error(misread)
  const files = join(media, 'files')
  if (!existsSync(files)) return
  accessSync(files, constants.R_OK | constants.W_OK | constants.X_OK)
  if (statSync(files).dev !== statSync(path).dev)
    throw new Error(
      '`files` and `drafts` in it are on two file systems, and files are moved from one to the other',
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
    // What was not kept is not there to be removed, which is no fault; what stops it is told by then.
    await store.remove([id]).finally(() => store.close())
  }
}
