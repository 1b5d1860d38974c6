import type pg from 'pg'
import type { Draft } from '../../contract/handler.ts'
import { FairSemaphore } from '../../runtime/limits/fair-semaphore.ts'
import { roleNames } from '../../store/postgres/database-roles.ts'
import {
  beginRead,
  beginReadOf,
  beginWrite,
  connect,
  inRole,
  openPool,
  PostgresConnection,
} from '../../store/postgres/postgres-connection.ts'
import { Undone } from '../../store/postgres/postgres-fault.ts'
import { refuseUnsafe } from '../../store/postgres/postgres-open.ts'
import { isOrganization } from '../../store/store.ts'
import { readFrom } from './disk.ts'
import { type ByteRange, type KeptFile, MediaMissing, type MediaStore } from './media-store.ts'

/** Bytes of one row: enough that a round trip is worth it, and little enough for a thousand of them in memory. */
const chunkBytes = 256 * 1024

/** Files that are written at a time, each on a connection for as long as it takes. */
const writers = 4
/** Connections for what takes a moment: one chunk to be read, some files to be removed. */
const readers = 4

/** The most attempts at writing a file that other servers get in the way of. */
const attempts = 3

/** Number of ids that are asked for at a time. */
const page = 250

/**
 * Keeps files in PostgreSQL, in rows of 256 KB, for servers that share nothing but the database. It has connections of its
 * own, so that a large file never delays messages. The tables must be there: the store makes them.
 */
export async function openPostgresMedia(url: string): Promise<MediaStore> {
  let synchronousCommit = 'on'
  let roles = { callers: '', writers: '' }
  const check = async (client: pg.ClientBase) => {
    synchronousCommit = await refuseUnsafe(client)
    roles = await roleNames(client)
  }
  const pool = openPool(url, { max: writers + readers, check })
  const client = await connect(pool)
  client.release()
  return new PostgresMedia(pool, {
    write: inRole(beginWrite(synchronousCommit), roles.writers),
    read: (party) =>
      isOrganization(party) ? beginReadOf(party, roles.callers) : inRole(beginRead, roles.writers),
  })
}

/** Beginnings of transactions: each takes a role, and in the turn of an organization PostgreSQL shows it the files of that one alone. */
interface Beginnings {
  readonly write: string
  readonly read: (party: string) => string
}

const insertChunk =
  'insert into media_chunks (media_id, start, bytes) values ($1, $2, $3) on conflict (media_id, start) do nothing'

/** The chunk in which a byte is. As text it would come in hexadecimal, which is longer, and takes twice as long to read. */
const selectChunk =
  "select start, encode(bytes, 'base64') as base64 from media_chunks where media_id = $1 and start <= $2 order by start desc limit 1"

const selectSize =
  'select coalesce(sum(length(bytes)), 0) as size, count(*) as chunks from media_chunks where media_id = $1'

/** Every file has a first chunk, also the empty one. */
const selectIds =
  'select media_id from media_chunks where start = 0 and media_id > $1 order by media_id limit $2'

class PostgresMedia implements MediaStore {
  readonly #pool: pg.Pool
  readonly #begin: Beginnings
  readonly #writing = new FairSemaphore({ limit: writers })

  constructor(pool: pg.Pool, begin: Beginnings) {
    this.#pool = pool
    this.#begin = begin
  }

  async put(id: string, draft: Draft, party = ''): Promise<void> {
    await this.#writing.run(party, () => this.#put(id, draft))
    await draft.discard()
  }

  /** If another server stored the same bytes meanwhile, PostgreSQL rolls this back; repeated, it finds them there. */
  async #put(id: string, draft: Draft, attempt = 1): Promise<void> {
    try {
      await this.#putOnce(id, draft)
    } catch (error) {
      if (!(error instanceof Undone) || attempt === attempts) throw error
      await this.#put(id, draft, attempt + 1)
    }
  }

  async #putOnce(id: string, draft: Draft): Promise<void> {
    await this.#write((connection) => insertChunks(connection, id, draft))
  }

  async #write(work: (connection: PostgresConnection) => Promise<unknown>): Promise<void> {
    const client = await connect(this.#pool)
    const connection = new PostgresConnection(client, this.#begin.write, false)
    try {
      connection.begin()
      await work(connection)
      await connection.commit()
    } catch (error) {
      await connection.rollback()
      throw error
    } finally {
      client.release(connection.broken)
    }
  }

  async has({ id, size }: KeptFile): Promise<boolean> {
    const [row] = await this.#ask<{ size: number; chunks: number }>('', selectSize, [id])
    return row !== undefined && row.chunks > 0 && row.size === size
  }

  async *read(
    { id, size }: KeptFile,
    range: ByteRange = { first: 0, last: size - 1 },
    party = '',
  ): AsyncIterable<Uint8Array> {
    let next = range.first
    // The first chunk is read even if nothing of it is wanted, to find out whether it exists.
    do {
      const [chunk] = await this.#ask<{ start: number; base64: string }>(party, selectChunk, [id, next])
      if (!chunk) throw new MediaMissing(id)
      const whole = Buffer.from(chunk.base64, 'base64')
      if (chunk.start + whole.length > size) throw new MediaMissing(id)
      const bytes = whole.subarray(next - chunk.start, range.last + 1 - chunk.start)
      if (bytes.length === 0 && next <= range.last) throw new MediaMissing(id)
      next += bytes.length
      if (bytes.length > 0) yield bytes
    } while (next <= range.last)
  }

  async remove(ids: readonly string[]): Promise<void> {
    await this.#write((connection) =>
      connection.run('delete from media_chunks where media_id = any($1)', [ids]),
    )
  }

  async *ids(): AsyncIterable<string> {
    let last = ''
    for (;;) {
      const rows = await this.#ask<{ media_id: string }>('', selectIds, [last, page])
      for (const { media_id } of rows) yield media_id
      if (rows.length < page) return
      last = rows[page - 1]?.media_id ?? last
    }
  }

  close(): Promise<void> {
    return this.#pool.end()
  }

  /** Uses a connection for one query only, so that a slow reader holds none. BEGIN and COMMIT travel with the query. */
  async #ask<Row extends object>(party: string, text: string, values: readonly unknown[]): Promise<Row[]> {
    const client = await connect(this.#pool)
    const connection = new PostgresConnection(client, this.#begin.read(party), false)
    try {
      connection.begin()
      const rows = (await connection.all(text, values).catch(async (error) => {
        // Behind a BEGIN that failed, every statement fails, and says only that.
        await connection.begun()
        throw error
      })) as Row[]
      await connection.begun()
      return rows
    } finally {
      if (!connection.broken) connection.word('COMMIT').catch(() => {})
      client.release(connection.broken)
    }
  }
}

async function insertChunks(connection: PostgresConnection, id: string, draft: Draft): Promise<void> {
  const insert = (start: number, bytes: Uint8Array) => connection.run(insertChunk, [id, start, bytes])
  let start = 0
  for await (const bytes of readFrom(await draft.file(), chunkBytes)) {
    await insert(start, bytes)
    start += bytes.length
  }
  if (start === 0) await insert(0, new Uint8Array())
}
