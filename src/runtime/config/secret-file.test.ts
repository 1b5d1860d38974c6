import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ConfigError } from './config.ts'
import { readSecretFile, writeSecretFile } from './secret-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'posthorn-secret-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const modeOf = (path: string) => statSync(path).mode & 0o777

test('a secret is read back, and only its owner may read it', () => {
  const file = join(folder, 'made', 'on', 'the', 'way', 'secret')
  writeSecretFile(file, 'hush')
  assert.equal(readSecretFile(file), 'hush')
  assert.equal(readFileSync(file, 'utf8'), 'hush\n')
  assert.equal(modeOf(file), 0o600)
  assert.equal(modeOf(join(folder, 'made')), 0o700)
})

test('a secret takes the place of another, and of a draft that a crash left behind for all to read', () => {
  const home = join(folder, 'again')
  const file = join(home, 'secret')
  writeSecretFile(file, 'old')
  writeFileSync(`${file}.draft`, 'half', { mode: 0o644 })
  writeSecretFile(file, 'new')
  assert.equal(readSecretFile(file), 'new')
  assert.equal(modeOf(file), 0o600)
  assert.deepEqual(readdirSync(home), ['secret'])
})

test('a file that is not there has no secret, and one that cannot be read is an error that says so', () => {
  assert.equal(readSecretFile(join(folder, 'missing')), undefined)
  mkdirSync(join(folder, 'a-folder'))
  assert.throws(() => readSecretFile(join(folder, 'a-folder')), ConfigError)
})
