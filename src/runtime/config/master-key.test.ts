import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readConfig } from '../../networks/config.ts'
import { ConfigError } from './config.ts'
import { readMasterKey } from './master-key.ts'

const folder = mkdtempSync(join(tmpdir(), 'posthorn-master-key-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const goodKey = '00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef'

function configIn(name: string, environment: Record<string, string> = {}) {
  return readConfig({ POSTHORN_DATA: join(folder, name), ...environment })
}

test('a key is made if there is none and one may be made, and read from then on', () => {
  const config = configIn('first')
  const made = readMasterKey(config, true)
  assert.equal(made.bytes.length, 32)
  assert.equal(made.fresh, true)
  assert.equal(statSync(join(folder, 'first', 'master.key')).mode & 0o777, 0o600)
  const read = readMasterKey(config, false)
  assert.deepEqual(Buffer.from(read.bytes), Buffer.from(made.bytes))
  assert.equal(read.fresh, false)
})

test('a key that is missing and may not be made is refused, and nothing is made', () => {
  assert.throws(
    () => readMasterKey(configIn('missing'), false),
    /the master key is missing.*put the file back/,
  )
  assert.equal(existsSync(join(folder, 'missing')), false)
})

test('the setting goes before the file, and leaves no file', () => {
  const key = readMasterKey(configIn('setting', { POSTHORN_MASTER_KEY: goodKey }), true)
  assert.equal(Buffer.from(key.bytes).toString('hex'), goodKey)
  assert.equal(key.source, 'POSTHORN_MASTER_KEY')
  assert.equal(existsSync(join(folder, 'setting')), false)
})

test('another file can be named', () => {
  const file = join(folder, 'elsewhere.key')
  writeFileSync(file, `${goodKey}\n`)
  const key = readMasterKey(configIn('named', { POSTHORN_MASTER_KEY_FILE: file }), false)
  assert.equal(Buffer.from(key.bytes).toString('hex'), goodKey)
  assert.equal(key.source, file)
})

test('a file with anything else in it is refused, and the message does not repeat it', () => {
  const examples = ['', 'secret', 'thisismysecuretoken', '429683C4C977415CAAFCCE10F7D57E11', 'BQYHJGJHJ']
  for (const text of [
    ...examples,
    goodKey.slice(2),
    `${goodKey}00`,
    'ab'.repeat(32),
    goodKey.replace('0', 'x'),
  ]) {
    const file = join(folder, 'wrong.key')
    writeFileSync(file, text)
    assert.throws(
      () => readMasterKey(configIn('wrong', { POSTHORN_MASTER_KEY_FILE: file }), true),
      (error) =>
        error instanceof ConfigError &&
        error.message.includes(file) &&
        error.message.includes('openssl rand -hex 32') &&
        (text === '' || !error.message.replace('POSTHORN', '').includes(` ${text}`)),
      `"${text}" must be refused`,
    )
  }
})
