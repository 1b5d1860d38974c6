import assert from 'node:assert/strict'
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { examineTables, type TableCheck } from './sqlite-tables.ts'

const check: TableCheck = { running: false, deep: false, show: () => {} }

/** A database with a table of people, as a server has it open; the write-ahead log is as it likes. */
function open(t: TestContext): { file: string; database: DatabaseSync } {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-tables-'))
  const file = join(folder, 'posthorn.db')
  const database = new DatabaseSync(file)
  t.after(() => {
    if (database.isOpen) database.close()
    rmSync(folder, { recursive: true })
  })
  database.exec(`pragma journal_mode = wal; pragma wal_autocheckpoint = 100;
    create table people (id integer primary key, name text not null);
    create index people_by_name on people (name);
    create table "odd ""name" (a);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
      insert into people select i, 'person ' || i from n`)
  return { file, database }
}

/** Changes the page at which a table or an index begins. */
function damage(file: string, name: string, bytes: Buffer, offset = 0): void {
  const database = new DatabaseSync(file, { readOnly: true })
  const found = database.prepare('select rootpage from sqlite_schema where name = ?').get(name)
  database.close()
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, bytes, 0, bytes.length, (Number(found?.rootpage) - 1) * 4096 + offset)
  closeSync(descriptor)
}

test('sound tables are told as such, with a server and without, and each is shown', async (t) => {
  const { file, database } = open(t)
  const shown: string[] = []
  const show = (doing: string) => shown.push(doing)
  const { verdict, detail } = await examineTables(file, { ...check, running: true, show })
  assert.equal(verdict, 'ok', detail)
  assert.match(detail, /^3 tables are sound/)
  assert.deepEqual(shown, ['checking sqlite_schema:', 'checking odd "name:', 'checking people:', ''])
  database.close()
  const deep = await examineTables(file, { ...check, deep: true })
  assert.deepEqual([deep.verdict, deep.detail], ['ok', '3 tables are sound, and agree with their indexes'])
})

test('flipped bytes are found, and what to do is told', async (t) => {
  const { file, database } = open(t)
  database.close()
  damage(file, 'people', Buffer.from([0xff, 0x5a, 0x5a]), 20)
  const { verdict, detail, advice } = await examineTables(file, check)
  assert.equal(verdict, 'fail')
  assert.match(detail, /^damaged: people \(/)
  assert.match(advice ?? '', /posthorn restore.*posthorn backup/)
})

test('an index that does not agree with its table is found by a deep check', async (t) => {
  const { file, database } = open(t)
  database.close()
  const bytes = readFileSync(file)
  bytes.write('parson', bytes.indexOf('person 4321'))
  writeFileSync(file, bytes)
  assert.equal((await examineTables(file, check)).verdict, 'ok')
  assert.match((await examineTables(file, { ...check, deep: true })).detail, /people \(.*people_by_name/)
})

/** Adds a table whose check takes minutes: it computes a column of each row, which is not stored. */
function addSlowTable(database: DatabaseSync): void {
  database.exec(`create table slow (a integer);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000) insert into slow select i from n;
    alter table slow add column b text generated always as (length(hex(zeroblob(5000000 + a)))) virtual`)
}

test('a check that takes too long is given up, and says what was not examined', async (t) => {
  const { file, database } = open(t)
  addSlowTable(database)
  const { verdict, detail, advice } = await examineTables(file, {
    ...check,
    running: true,
    bounds: { time: 5_000 },
  })
  assert.equal(verdict, 'warn')
  assert.match(detail, /^3 tables are sound, slow and those after it not examined/)
  assert.match(advice ?? '', /--deep/)
})

test('a log that grows while a table is checked is let go of, and the other tables are checked', async (t) => {
  const { file, database } = open(t)
  addSlowTable(database)
  database.exec('create table zebras (a)')
  let isOver = false
  const examined = examineTables(file, { ...check, deep: true, running: true, bounds: { log: 1_000_000 } })
  void examined.finally(() => {
    isOver = true
  })
  const insert = database.prepare('update people set name = name || ?')
  while (!isOver) {
    insert.run('.')
    await turn()
  }
  const { verdict, detail } = await examined
  assert.equal(verdict, 'warn', detail)
  assert.match(detail, /^4 tables are sound, and slow not examined: the server wrote too much/)
  // It has no reader any longer, so it starts over.
  database.exec('pragma wal_checkpoint(truncate)')
  assert.equal(statSync(`${file}-wal`).size, 0)
})
