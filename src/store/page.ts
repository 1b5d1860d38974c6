import type { ExpressionBuilder, SelectQueryBuilder } from 'kysely'
import type { Schema } from './schema.ts'
import { rawSql } from './statement.ts'
import type { Reader } from './store.ts'

/*
 * A page of a list has a bound in bytes, however many entries the caller asks for (docs/decisions/0062). The database says
 * how long rows are before they are read, so the server never holds more than what fits. Transactions that change or delete
 * rows of one owner in parts have the same bound.
 */

/** Bytes that the entries of a page have, at most. There is at least one entry, however long it is. */
export const pageBytes = 1_000_000

/** So few rows are read without asking how long they are. */
const fewRows = 4

/** Bytes of an entry beside its long columns: names of fields, times, ids. */
const bytesOfEntry = 800

/** A character that takes one byte in the store takes so many in JSON at worst: `\u0001`. */
const maxEscaped = 6

/** The columns that may be long: texts, which JSON escapes, and JSON, which stands in an entry as it is. */
export interface LongColumns {
  readonly texts: readonly string[]
  readonly json: readonly string[]
}

/** Those of a message. */
export const longInMessages: LongColumns = {
  texts: ['text', 'subject', 'sender', 'account', 'recipient', 'client_ref', 'network_message_id'].map(
    ofMessages,
  ),
  json: ['metadata', 'aliases', 'relation', 'unsupported', 'content', 'error', 'notices'].map(ofMessages),
}

function ofMessages(column: string): string {
  return `messages.${column}`
}

/** A row, or its length alone, in bytes. */
interface Measured {
  readonly bytes: number
}

/** The bytes of a column, in SQL. */
export const bytesOfColumn = (column: string) => `coalesce(octet_length(${column}), 0)`

/** The bytes of a row, to be selected. */
export function bytesOfRow({ texts, json }: LongColumns) {
  return rawSql<number>([String(bytesOfEntry), ...[...texts, ...json].map(bytesOfColumn)].join(' + '))
}

/** The bytes of a message, to be selected. */
export const bytesOfMessage = (eb: ExpressionBuilder<Schema, 'messages'>) =>
  eb.cast<number>(bytesOfRow(longInMessages), 'integer').as('bytes')

/** Returns how many of these fit into so many bytes, and how many bytes they are. One always fits. */
export function fitIntoPage(rows: readonly Measured[], most = pageBytes): { count: number; bytes: number } {
  let bytes = 0
  for (const [count, row] of rows.entries()) {
    if (count > 0 && bytes + row.bytes > most) return { count, bytes }
    bytes += row.bytes
  }
  return { count: rows.length, bytes }
}

/**
 * Returns the rows that one transaction changes of those that it found, and whether others may follow: as many as fit into a
 * megabyte, at least one, so that it takes some milliseconds, however long they are. `limit` is the number that it looked
 * for.
 */
export function partOf<Row extends Measured>(
  found: readonly Row[],
  limit: number,
): { rows: readonly Row[]; more: boolean } {
  const { count } = fitIntoPage(found)
  return { rows: found.slice(0, count), more: count < found.length || found.length === limit }
}

/** The same for rows that were read, as they are written in JSON. They are looked at only if that may be too much. */
export function fittingAsJson<Row extends object>(
  rows: readonly Row[],
  { texts, json }: LongColumns,
  most = pageBytes,
): { count: number; bytes: number } {
  const lengthIn = (row: Row, column: string, lengthOf: (text: string) => number) => {
    const value = (row as Record<string, unknown>)[column.slice(column.indexOf('.') + 1)]
    return typeof value === 'string' ? lengthOf(value) : 0
  }
  const measured = (lengthOf: (text: string) => number) =>
    rows.map((row) => {
      const ofJson = json.reduce(
        (sum, column) => sum + lengthIn(row, column, Buffer.byteLength),
        bytesOfEntry,
      )
      return { bytes: texts.reduce((sum, column) => sum + lengthIn(row, column, lengthOf), ofJson) }
    })
  const atWorst = fitIntoPage(
    measured(({ length }) => maxEscaped * length),
    most,
  )
  if (atWorst.count === rows.length && atWorst.bytes <= most) return atWorst
  return fitIntoPage(
    measured((text) => Buffer.byteLength(JSON.stringify(text))),
    most,
  )
}

export interface PageWanted {
  /** The most rows. */
  readonly limit: number
  readonly long: LongColumns
  /** Bytes that the rows may have together. */
  readonly bytes?: number
}

export interface RowPage<Row> {
  readonly rows: Row[]
  /** True if others follow. */
  readonly more: boolean
}

/** The first rows of an ordered query: as many as are wanted, and as fit into the bytes. */
export async function pageOf<Tables extends keyof Schema, Row extends object>(
  reader: Reader,
  query: SelectQueryBuilder<Schema, Tables, Row>,
  { limit, long, bytes = pageBytes }: PageWanted,
): Promise<RowPage<Row>> {
  const most = limit <= fewRows ? limit : await maxThatFit(reader, query, { limit, long, bytes })
  const rows = await reader.all(query.limit(most + 1))
  const { count } = fittingAsJson(rows.slice(0, most), long, bytes)
  return { rows: rows.slice(0, count), more: rows.length > count }
}

async function maxThatFit<Tables extends keyof Schema, Row>(
  reader: Reader,
  query: SelectQueryBuilder<Schema, Tables, Row>,
  { limit, long, bytes }: Required<PageWanted>,
): Promise<number> {
  const lengths = query
    .clearSelect()
    .select((eb) => eb.cast<number>(bytesOfRow(long), 'integer').as('bytes'))
    .limit(limit)
  return Math.max(1, fitIntoPage(await reader.all(lengths), bytes).count)
}
