import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '../../src/networks/config.ts'

const file = new URL('../../deploy/systemd/posthorn.service', import.meta.url)
const text = readFileSync(file, 'utf8')

/** The values of a directive, also of those that a reader may turn on. */
const valuesOf = (name: string) =>
  [...text.matchAll(new RegExp(`^#?${name}=(.*)$`, 'gm'))].map(([, value = '']) => value)

/** Runs a command of systemd-analyze on the unit. Its programs are where they are on this machine. */
function analyze(t: { skip(why: string): void; after(end: () => void): void }, ...words: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-unit-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const unit = join(folder, 'posthorn.service')
  writeFileSync(unit, text.replace('ExecStart=/usr/bin/node', `ExecStart=${process.execPath}`))
  const ran = spawnSync('systemd-analyze', [...words, unit], { encoding: 'utf8' })
  if (!ran.error) return { code: ran.status, output: ran.stdout + ran.stderr }
  t.skip('systemd-analyze is not installed')
  return undefined
}

test('systemd accepts the unit', (t) => {
  const ran = analyze(t, 'verify', '--man=no')
  if (ran) assert.deepEqual(ran, { code: 0, output: '' })
})

test('systemd finds the service exposed by 1.5 of 10 at most', (t) => {
  const ran = analyze(t, 'security', '--offline=true', '--no-pager')
  if (!ran) return
  const [, exposure] = /Overall exposure level for posthorn.service: ([\d.]+)/.exec(ran.output) ?? []
  t.diagnostic(`exposure ${exposure}`)
  assert.ok(Number(exposure) <= 1.5, ran.output)
})

test('the unit has settings that Posthorn has, with the secrets that systemd puts in place', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-unit-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const secrets: Record<string, string> = {
    'master.key': '0123456789abcdef'.repeat(4),
    'database-url': 'postgres://user:pw@db/posthorn',
  }
  const credentials = valuesOf('LoadCredential').map((value) => value.split(':')[0] ?? '')
  assert.deepEqual(credentials.sort(), Object.keys(secrets).sort())
  for (const name of credentials) writeFileSync(join(folder, name), secrets[name] as string)
  writeFileSync(join(folder, 'posthorn.conf'), '')
  const places: Record<string, string> = {
    '%d': folder,
    '/etc/posthorn': folder,
    '%S': '/var/lib',
    '%C': '/var/cache',
  }
  const settings = valuesOf('Environment').map((line) =>
    line.replaceAll(/%[dSC]|\/etc\/posthorn/g, (place) => places[place] as string).split('=', 2),
  )
  const config = readConfig(Object.fromEntries(settings))
  assert.equal(config.POSTHORN_DATA, '/var/lib/posthorn')
  assert.equal(config.POSTHORN_MASTER_KEY_FILE, join(folder, 'master.key'))
  assert.equal(config.POSTHORN_DATABASE_URL, secrets['database-url'])
  assert.ok(Number(valuesOf('TimeoutStopSec')[0]) >= config.POSTHORN_STOP_SECONDS + 10)
})
