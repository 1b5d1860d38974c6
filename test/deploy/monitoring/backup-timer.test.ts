import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { backup } from '../../../src/cli/commands/backup.ts'
import { readConfig } from '../../../src/networks/config.ts'

/* The ways in which backups are made regularly call what Posthorn has. */

const deploy = new URL('../../../deploy/systemd/', import.meta.url)
const unit = readFileSync(new URL('posthorn-backup.service', deploy), 'utf8')
const timer = readFileSync(new URL('posthorn-backup.timer', deploy), 'utf8')
const guide = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8')

test('systemd accepts the timer and its unit', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-timer-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const units = { 'posthorn-backup.service': unit, 'posthorn-backup.timer': timer }
  const files = Object.entries(units).map(([name, text]) => {
    const file = join(folder, name)
    writeFileSync(file, text.replace('ExecStart=/usr/bin/node', `ExecStart=${process.execPath}`))
    return file
  })
  const ran = spawnSync('systemd-analyze', ['verify', '--man=no', ...files], { encoding: 'utf8' })
  if (ran.error) return t.skip('systemd-analyze is not installed')
  assert.deepEqual({ code: ran.status, output: ran.stdout + ran.stderr }, { code: 0, output: '' })
})

test('the unit, cron and Kubernetes call the command as it is, with settings that there are', () => {
  const [, environment = ''] = /^Environment=(POSTHORN_DATA=.*)$/m.exec(unit) ?? []
  const [name, data] = environment.replace('%S', '/var/lib').split('=')
  assert.equal(readConfig({ [name ?? '']: data }).POSTHORN_DATA, '/var/lib/posthorn')
  const [, yaml = ''] = /```yaml\n(apiVersion: batch\/v1\n.*?)```/s.exec(guide) ?? []
  const job = parse(yaml)
  const [container] = job.spec.jobTemplate.spec.template.spec.containers
  const calls = [
    /^ExecStart=(.*)$/m.exec(unit)?.[1]?.split(' ') ?? [],
    /^\d+ \d+ \* \* \* posthorn .*npx posthorn (.*)$/m.exec(guide)?.[1]?.split(' ') ?? [],
    container.args as string[],
  ]
  for (const words of calls) {
    assert.ok(words.includes(backup.name), words.join(' '))
    assert.match(words.slice(words.indexOf('backup')).join(' '), /^backup --keep \d+ \/\S+$/)
  }
  assert.equal(job.kind, 'CronJob')
  assert.equal(job.spec.concurrencyPolicy, 'Forbid')
})
