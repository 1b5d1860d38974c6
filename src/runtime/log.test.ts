import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, existsSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
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

test('a secret does not reach the log on any level, in objects and in lists', () => {
  const { log, lines } = keptLog()
  for (const field of secretFields) {
    const planted = { [field]: `planted-${field}` }
    log.info(planted, 'a level')
    log.info({ a: planted }, 'two levels')
    log.info({ a: { b: planted } }, 'three levels')
    log.info({ a: { b: { c: planted } } }, 'four levels')
    log.info({ a: { b: { c: { d: [{ e: planted }] } } } }, 'seven levels')
    log.info({ list: [planted], within: { list: [planted] } }, 'in lists')
    log.child({ request: planted }).info('in a child')
  }
  assert.equal(lines.length, secretFields.length * 7)
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

describe('standard output', () => {
  let folder: string

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'posthorn-log-'))
  })

  after(() => rmSync(folder, { recursive: true }))

  /** The two ends of a pipe; one that refuses what it cannot take, unless `mode` says otherwise. */
  function pipe(name: string, mode = constants.O_WRONLY | constants.O_NONBLOCK) {
    const path = join(folder, name)
    execFileSync('mkfifo', [path])
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    return { reader, writer: openSync(path, mode) }
  }

  /** Everything that is in the pipe now. */
  function drain(reader: number): string {
    const chunk = Buffer.alloc(1024 * 1024)
    try {
      return chunk.toString('utf8', 0, readSync(reader, chunk))
    } catch {
      return ''
    }
  }

  type Line = { readonly number?: number; readonly lost?: number; readonly msg: string }
  const linesOf = (text: string) => text.trimEnd().split('\n')
  const parsed = (text: string) => linesOf(text).map((line) => JSON.parse(line) as Line)

  test('on a full disk drops what cannot be written, and goes on', { skip: !existsSync('/dev/full') }, () => {
    const full = openSync('/dev/full', 'w')
    const log = openLog('info', new StandardOutput(full))
    for (let number = 0; number < 1_000; number++) log.info({ number }, 'not written')
    closeSync(full)
  })

  test('whose reader has gone drops what cannot be written, and goes on', () => {
    const { reader, writer } = pipe('left')
    closeSync(reader)
    const log = openLog('info', new StandardOutput(writer))
    for (let number = 0; number < 1_000; number++) log.info({ number }, 'not written')
    closeSync(writer)
  })

  test('whose reader has fallen behind is not waited for, and tells how many lines are missing', () => {
    const { reader, writer } = pipe('slow')
    const log = openLog('info', new StandardOutput(writer))
    // More than a pipe takes, and lines that are longer than what it takes whole or not at all.
    const filler = 'ü'.repeat(5_000)
    let text = ''
    let said = 0
    for (let round = 0; round < 20; round++) {
      for (let number = 0; number < 30; number++) log.info({ number: said++, filler }, 'said')
      text += drain(reader)
    }
    log.info({ number: said++ }, 'said')
    log.info({ number: said++ }, 'said')
    text += drain(reader)
    const lines = parsed(text)
    const arrived = lines.filter(({ msg }) => msg === 'said')
    const lost = lines.flatMap((line) => line.lost ?? [])
    assert.ok(lost.length > 1 && arrived.length > 20, `${lost} lost, ${arrived.length} arrived`)
    assert.equal(arrived.length + lost.reduce((sum, count) => sum + count), said)
    assert.equal(arrived.at(-1)?.number, said - 1)
    closeSync(reader)
    closeSync(writer)
  })

  test('says what is missing with the fields of every line', () => {
    const { reader, writer } = pipe('fields')
    const output = new StandardOutput(writer)
    const log = openLog('info', output)
    for (let number = 0; number < 100; number++) log.info({ filler: 'x'.repeat(4_000) }, 'said')
    drain(reader)
    log.info({ number: 1 }, 'said')
    const [missing = '', said = ''] = linesOf(drain(reader)).slice(-2)
    assert.deepEqual(Object.keys(JSON.parse(missing)), ['level', 'time', 'lost', 'msg'])
    assert.deepEqual(Object.keys(JSON.parse(said)), ['level', 'time', 'number', 'msg'])
    assert.match(missing, /^\{"level":"warn","time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","lost":\d+,/)
    closeSync(reader)
    closeSync(writer)
  })

  test('of a server is one that refuses, whatever it was when the server began', async () => {
    const { reader, writer } = pipe('inherited', constants.O_WRONLY)
    const source = `
      import { StandardOutput } from ${JSON.stringify(new URL('log.ts', import.meta.url).href)}
      const output = new StandardOutput()
      for (let number = 0; number < 10_000; number++) output.write('{"msg":"said"}\\n')`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
      stdio: ['ignore', writer, 'inherit'],
      timeout: 60_000,
    })
    const [code] = await once(child, 'exit')
    assert.equal(code, 0)
    assert.equal(parsed(linesOf(drain(reader))[0] ?? '')[0]?.msg, 'said')
    closeSync(reader)
    closeSync(writer)
  })
})
