import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startPostgres } from '../../../test/kit/postgres.ts'
import { examinePostgresTables } from './postgres-tables.ts'

test('on PostgreSQL, it says what was examined, and what was not', { timeout: 60_000 }, async (t) => {
  const postgres = await startPostgres()
  if (!postgres.available) return t.skip(postgres.reason)
  const { server } = postgres
  t.after(() => server.stop())
  const url = await server.createDatabase()
  const shown: string[] = []
  const examined = (deep: boolean, as = url) =>
    examinePostgresTables(as, { deep, show: (doing) => shown.push(doing) })
  await server.query('create table people (id integer primary key, name text)', [], url)
  await server.query(
    "insert into people select i, 'person ' || i from generate_series(1, 999) as n(i)",
    [],
    url,
  )

  const quick = await examined(false)
  assert.equal(quick.verdict, 'ok', quick.detail)
  assert.match(quick.detail, /checksums are (on|off).*not examined further/)
  assert.match((await examined(true)).detail, /not examined further: the extension amcheck is not installed/)

  await server.query('create extension amcheck', [], url)
  const deep = await examined(true)
  assert.equal(deep.verdict, 'ok', deep.detail)
  assert.match(deep.detail, /amcheck found 2 tables and indexes sound/)
  assert.deepEqual(shown, ['checking people:', 'checking people_pkey:', ''])

  await server.query("create role guest login password 'guest'", [], url)
  const guest = new URL(url)
  guest.username = 'guest'
  guest.password = 'guest'
  const refused = await examined(true, guest.href)
  assert.equal(refused.verdict, 'warn')
  assert.match(refused.detail, /^not examined: permission denied/)
  return undefined
})
