import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { examineConfig, readConfig } from '../../networks/config.ts'
import { operatorSettings } from './settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'posthorn-config-file-'))
after(() => rmSync(folder, { recursive: true, force: true }))

let files = 0
/** A configuration file with these lines. */
function fileWith(...lines: string[]): string {
  files++
  const file = join(folder, `${files}.conf`)
  writeFileSync(file, lines.join('\n'))
  return file
}

describe('the file', () => {
  test('is read if the environment says nothing, and defaults apply if neither does', () => {
    const POSTHORN_CONFIG = fileWith(
      '# ours',
      '',
      'POSTHORN_QUEUE_LIMIT=5',
      'export POSTHORN_LOG_LEVEL="warn"',
    )
    const config = readConfig({ POSTHORN_CONFIG, POSTHORN_QUEUE_LIMIT: '7' })
    assert.equal(config.POSTHORN_QUEUE_LIMIT, 7)
    assert.equal(config.POSTHORN_LOG_LEVEL, 'warn')
    assert.equal(config.POSTHORN_DATA, operatorSettings.POSTHORN_DATA.default)
  })

  test('counts if the environment has an empty value, as compose files write for unset ones', () => {
    const POSTHORN_CONFIG = fileWith('POSTHORN_QUEUE_LIMIT=5')
    assert.equal(readConfig({ POSTHORN_CONFIG, POSTHORN_QUEUE_LIMIT: '' }).POSTHORN_QUEUE_LIMIT, 5)
    assert.equal(readConfig({ POSTHORN_CONFIG: '', POSTHORN_QUEUE_LIMIT: '' }).POSTHORN_QUEUE_LIMIT, 10_000)
  })

  test('must be there when it is named, and readable', () => {
    const missing = join(folder, 'missing.conf')
    assert.throws(() => readConfig({ POSTHORN_CONFIG: missing }), /there is no such file/)
    const unreadable = join(folder, 'folder.conf')
    mkdirSync(unreadable)
    assert.throws(() => readConfig({ POSTHORN_CONFIG: unreadable }), /cannot be read/)
  })

  test('has no line that means nothing; the fault names the line and does not repeat it', () => {
    const POSTHORN_CONFIG = fileWith('POSTHORN_QUEUE_LIMIT=5', 'POSTHORN_METRICS_TOKEN hush-hush')
    const { faults } = examineConfig({ POSTHORN_CONFIG })
    assert.equal(faults.length, 1)
    assert.match(String(faults[0]), /^line 2 of .* is not NAME=value$/)
  })
})
