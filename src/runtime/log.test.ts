import assert from 'node:assert/strict'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openLog, StandardOutput, silentLog } from './log.ts'

/** A log, and what was written to it. */
function keptLog(level = 'trace') {
  const lines: string[] = []
  const log = openLog(level, { write: (line: string) => lines.push(line) })
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown> }
}

const secretFields = [
  'authorization',
  'password',
  'secret',
  'token',
  'key',
  'credentials',
  'text',
  'caption',
  'link',
  'master_key',
]

test('a line is JSON with a level, a time in UTC, the fields and the sentence', () => {
  const { log, last } = keptLog()
  log.info({ instance: 'inst_1' }, 'an instance connected')
  const { level, time, instance, msg } = last()
  assert.deepEqual(
    { level, instance, msg },
    { level: 'info', instance: 'inst_1', msg: 'an instance connected' },
  )
  assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

test('a secret does not reach the log in any of the first four levels, in objects and in lists', () => {
  const { log, lines } = keptLog()
  for (const field of secretFields) {
    const planted = { [field]: `planted-${field}` }
    log.info(planted, 'a level')
    log.info({ a: planted }, 'two levels')
    log.info({ a: { b: planted } }, 'three levels')
    log.info({ a: { b: { c: planted } } }, 'four levels')
    log.info({ list: [planted], within: { list: [planted] } }, 'in lists')
    log.child({ request: planted }).info('in a child')
  }
  assert.equal(lines.length, secretFields.length * 6)
  assert.doesNotMatch(lines.join(''), /planted/)
  assert.equal(lines.filter((line) => line.includes('[redacted]')).length, lines.length)
})

test('a secret that is a whole object does not reach the log either, nor one that an error carries', () => {
  const { log, lines } = keptLog()
  log.info({ credentials: { user: 'planted', nested: { password: 'planted' } } }, 'an object')
  log.error({ err: Object.assign(new Error('refused'), { password: 'planted' }) }, 'an error')
  assert.doesNotMatch(lines.join(''), /planted/)
})

test('what is not secret stays as it is', () => {
  const { log, last } = keptLog()
  log.info({ key_id: 'key_1', to: 'ana@example.org' }, 'sent')
  assert.equal(last().key_id, 'key_1')
  assert.equal(last().to, 'ana@example.org')
})

test('a log says no more than its level, and the silent one nothing', () => {
  const { log, lines } = keptLog('warn')
  log.info('too little')
  log.warn('enough')
  assert.equal(lines.length, 1)
  assert.equal(silentLog.isLevelEnabled('fatal'), false)
})

test('a log that cannot be written stops nobody', () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-log-'))
  const file = join(folder, 'log')
  const readable = openSync(file, 'w+')
  const closed = openSync(file, 'r')
  const broken = new StandardOutput(closed)
  broken.write('lost\n')
  new StandardOutput(readable).write('kept\n')
  assert.equal(readFileSync(file, 'utf8'), 'kept\n')
  closeSync(closed)
  closeSync(readable)
  rmSync(folder, { recursive: true })
})
