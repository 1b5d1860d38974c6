import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'

/** The kinds of work: to show a message in Chatwoot, to look for replies in a conversation, to show the status of a reply. */
export type LaneKind = 'incoming' | 'visit' | 'tick'

/** Work that is done one after the other: all messages of one address, one conversation, or one reply. */
export interface Lane {
  readonly kind: LaneKind
  readonly key: string
  readonly failures: number
  /** 1 if a visit looks at everything since the floor; 0 if it ends at the first page of replies that are all known. */
  readonly deep: number
  /** Grows each time that work is added, so that what was added during the work is not forgotten with it. */
  readonly wanted: number
}

/** A message of Posthorn that Chatwoot is to show. */
export interface IncomingJob {
  readonly id: number
  readonly address: string
  readonly message_id: string
  /** The id under which Chatwoot keeps the message, by which it is found again. */
  readonly source_id: string
  /** 0: as it is; 1: without its file; 2: a hint alone. Chatwoot refused more. */
  readonly reduced: number
  /** The time at which an attempt began whose outcome is not known, in milliseconds since 1970; null if there is none. */
  readonly tried_at: number | null
}

/** A part of a reply: its text, or one of its files. */
export interface ReplyPart {
  readonly message_id: number
  readonly part: number
  /** The number of parts of the reply. */
  readonly parts: number
  readonly conversation_id: number
  /** 0: accepted, 1: sent, 2: delivered, 3: read, 9: failed. */
  readonly rank: number
  readonly error: string | null
}

export interface Place {
  readonly address: string
  readonly conversation_id: number
}

/** Facts that outlive the process: the position in the feed, and times of Chatwoot's clock, in seconds. */
export type FactName = 'cursor' | 'floor' | 'next_floor' | 'next_floor_at'

const schema = `
  CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS incoming (
    id INTEGER PRIMARY KEY, address TEXT NOT NULL, message_id TEXT NOT NULL, source_id TEXT NOT NULL,
    reduced INTEGER NOT NULL DEFAULT 0, tried_at INTEGER
  ) STRICT;
  CREATE INDEX IF NOT EXISTS incoming_by_address ON incoming (address, id);
  CREATE TABLE IF NOT EXISTS lanes (
    kind TEXT NOT NULL, key TEXT NOT NULL, due_at INTEGER NOT NULL, since INTEGER NOT NULL,
    failures INTEGER NOT NULL DEFAULT 0, wanted INTEGER NOT NULL DEFAULT 1,
    deep INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (kind, key)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS lanes_by_due ON lanes (due_at);
  CREATE TABLE IF NOT EXISTS places (address TEXT PRIMARY KEY, conversation_id INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS places_by_conversation ON places (conversation_id);
  CREATE TABLE IF NOT EXISTS reply_parts (
    message_id INTEGER NOT NULL, part INTEGER NOT NULL, parts INTEGER NOT NULL, conversation_id INTEGER NOT NULL,
    rank INTEGER NOT NULL, error TEXT, at INTEGER NOT NULL, PRIMARY KEY (message_id, part)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS reply_parts_by_time ON reply_parts (at);
`

/** The database of the bridge. What a method changes is on disk when it returns. */
export class State {
  readonly #database: DatabaseSync
  readonly #prepared = new Map<string, StatementSync>()

  /** Opens the database in this folder. Throws if another process has it open. */
  constructor(folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    this.#database = new DatabaseSync(join(folder, 'bridge.db'))
    this.#database.exec('PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL')
    this.#database.exec(`BEGIN IMMEDIATE; ${schema} COMMIT`)
  }

  close(): void {
    this.#database.close()
  }

  /** Runs `change` in a transaction. */
  transact<R>(change: () => R): R {
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      const result = change()
      this.#database.exec('COMMIT')
      return result
    } catch (error) {
      this.#database.exec('ROLLBACK')
      throw error
    }
  }

  fact(name: FactName): string | undefined {
    return this.#row<{ value: string }>('SELECT value FROM facts WHERE name = ?', name)?.value
  }

  setFact(name: FactName, value: string | number): void {
    this.#run('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)', name, String(value))
  }

  /** Adds work to a lane, which becomes due at once unless it waits because of a failure. */
  want(kind: LaneKind, key: string | number, isDeep = false): void {
    const now = Date.now()
    this.#run(
      `INSERT INTO lanes (kind, key, due_at, since, deep) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET wanted = wanted + 1, deep = max(deep, excluded.deep)`,
      kind,
      String(key),
      now,
      now,
      isDeep ? 1 : 0,
    )
  }

  /** The lanes that are due, the longest first. */
  due(now: number, limit: number): Lane[] {
    return this.#rows<Lane>(
      'SELECT kind, key, failures, wanted, deep FROM lanes WHERE due_at <= ? ORDER BY due_at LIMIT ?',
      now,
      limit,
    )
  }

  /** The time at which the next lane after this time is due. */
  nextDue(after: number): number | undefined {
    const sql = 'SELECT min(due_at) AS at FROM lanes WHERE due_at > ?'
    return this.#row<{ at: number | null }>(sql, after)?.at ?? undefined
  }

  /** Ends the work of a lane, or puts the lane at the end of the queue if there is more. */
  finish({ kind, key, wanted }: Lane): void {
    const more = kind === 'incoming' && this.nextIncoming(key) !== undefined
    const removed = more
      ? 0
      : this.#run('DELETE FROM lanes WHERE kind = ? AND key = ? AND wanted = ?', kind, key, wanted)
    if (removed === 0) this.#postpone({ kind, key }, Date.now(), 0)
  }

  /** Lets a lane wait until this time, after a failure. */
  postpone(lane: Lane, until: number): void {
    this.#postpone(lane, until, lane.failures + 1)
  }

  #postpone({ kind, key }: Pick<Lane, 'kind' | 'key'>, until: number, failures: number): void {
    const sql = 'UPDATE lanes SET due_at = ?, failures = ? WHERE kind = ? AND key = ?'
    this.#run(sql, until, failures, kind, key)
  }

  /** True if a visit was wanted before this time and is not done. */
  hasVisitSince(time: number): boolean {
    const sql = "SELECT 1 AS found FROM lanes WHERE kind = 'visit' AND since <= ? LIMIT 1"
    return this.#row(sql, time) !== undefined
  }

  waiting(kind: LaneKind): number {
    return this.#row<{ n: number }>('SELECT count(*) AS n FROM lanes WHERE kind = ?', kind)?.n ?? 0
  }

  incomingCount(): number {
    return this.#row<{ n: number }>('SELECT count(*) AS n FROM incoming')?.n ?? 0
  }

  addIncoming(address: string, messageId: string, sourceId: string): void {
    const sql = 'INSERT INTO incoming (address, message_id, source_id) VALUES (?, ?, ?)'
    this.#run(sql, address, messageId, sourceId)
    this.want('incoming', address)
  }

  nextIncoming(address: string): IncomingJob | undefined {
    const sql = 'SELECT * FROM incoming WHERE address = ? ORDER BY id LIMIT 1'
    return this.#row<IncomingJob>(sql, address)
  }

  /** Notes that an attempt begins. */
  setTried({ id }: IncomingJob): void {
    this.#run('UPDATE incoming SET tried_at = ifnull(tried_at, ?) WHERE id = ?', Date.now(), id)
  }

  /** Notes that what was tried has certainly not been done. */
  clearTried({ id }: IncomingJob): void {
    this.#run('UPDATE incoming SET tried_at = NULL WHERE id = ?', id)
  }

  /** Lets less of a message be shown from the next attempt on. */
  reduce({ id }: IncomingJob): void {
    this.#run('UPDATE incoming SET reduced = min(reduced + 1, 2) WHERE id = ?', id)
  }

  removeIncoming({ id }: IncomingJob): void {
    this.#run('DELETE FROM incoming WHERE id = ?', id)
  }

  /** Lets lanes wait whose first message may still be on its way from an attempt of the process before. */
  holdTried(until: number): void {
    const sql = `UPDATE lanes SET due_at = max(due_at, ?) WHERE kind = 'incoming' AND key IN (SELECT address FROM incoming WHERE tried_at IS NOT NULL)`
    this.#run(sql, until)
  }

  conversationOf(address: string): number | undefined {
    const sql = 'SELECT conversation_id FROM places WHERE address = ?'
    return this.#row<Place>(sql, address)?.conversation_id
  }

  addressOf(conversationId: number): string | undefined {
    const sql = 'SELECT address FROM places WHERE conversation_id = ? ORDER BY rowid DESC LIMIT 1'
    return this.#row<Place>(sql, conversationId)?.address
  }

  setPlace({ address, conversation_id }: Place): void {
    this.#run(
      'INSERT OR REPLACE INTO places (address, conversation_id) VALUES (?, ?)',
      address,
      conversation_id,
    )
  }

  forgetPlace(address: string): void {
    this.#run('DELETE FROM places WHERE address = ?', address)
  }

  partsOf(messageId: number): ReplyPart[] {
    return this.#rows<ReplyPart>('SELECT * FROM reply_parts WHERE message_id = ? ORDER BY part', messageId)
  }

  /** Keeps a part, or how far it has come. A rank never goes down. */
  setPart({ message_id, part, parts, conversation_id, rank, error }: ReplyPart): void {
    this.#run(
      `INSERT INTO reply_parts (message_id, part, parts, conversation_id, rank, error, at) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET rank = excluded.rank, error = excluded.error 
         WHERE excluded.rank > rank OR (rank = 9 AND excluded.rank > 0)`,
      message_id,
      part,
      parts,
      conversation_id,
      rank,
      error,
      Date.now(),
    )
  }

  /** Forgets replies from before this time. */
  forgetParts(before: number): void {
    this.#run('DELETE FROM reply_parts WHERE at < ?', before)
  }

  #statement(sql: string): StatementSync {
    const known = this.#prepared.get(sql) ?? this.#database.prepare(sql)
    this.#prepared.set(sql, known)
    return known
  }

  #row<R>(sql: string, ...values: (string | number | null)[]): R | undefined {
    return this.#statement(sql).get(...values) as R | undefined
  }

  #rows<R>(sql: string, ...values: (string | number | null)[]): R[] {
    return this.#statement(sql).all(...values) as R[]
  }

  #run(sql: string, ...values: (string | number | null)[]): number {
    return Number(this.#statement(sql).run(...values).changes)
  }
}
