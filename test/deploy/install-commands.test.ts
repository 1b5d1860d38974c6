import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readCompose } from '../kit/deploy/compose.ts'
import { whyNoWebProxy } from '../kit/processes/web-proxies.ts'

/* The commands of the pages about installing, as far as they can be carried out without Docker and without being root. */

const root = new URL('../..', import.meta.url).pathname
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')

/** The commands of a page, block by block. */
const blocksOf = (page: string): string[][] =>
  [...textOf(page).matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block.trimEnd().split('\n'))

test('commands of compose are called beside its files, and name services that these have', () => {
  let seen = 0
  for (const page of ['docs/install.md', 'docs/several-nodes.md'])
    for (const lines of blocksOf(page)) {
      const folder = /^cd deploy\/(\S+)/.exec(lines.find((line) => line.startsWith('cd deploy/')) ?? '')?.[1]
      for (const line of lines.filter((each) => each.startsWith('docker compose'))) {
        seen++
        const [, file = 'compose.yaml'] = / --file (\S+)/.exec(line) ?? []
        const { services } = readCompose(`${folder}/${file}`, { POSTHORN_BASE_URL: 'https://a.example' })
        const [, service] = / exec (\S+)/.exec(line) ?? []
        assert.ok(service === undefined || services[service], line)
      }
      for (const line of lines) {
        const [script = ''] = /^\.{1,2}\/\S+\.sh\b/.exec(line) ?? []
        assert.ok(existsSync(join(root, 'deploy', folder ?? '', script)), line)
      }
    }
  assert.ok(seen >= 6, `${seen} commands`)
})

test('the image has the arguments that the page lists', () => {
  const containerfile = textOf('Containerfile')
  const table = /\| `--build-arg` \|([\s\S]*?)\n\n/.exec(textOf('docs/install.md'))?.[1] ?? ''
  const listed = [...table.matchAll(/`(\w+)=/g)].map(([, name = '']) => name)
  const known = [...containerfile.matchAll(/^ARG (\w+)/gm)].map(([, name = '']) => name)
  assert.deepEqual([...new Set(listed)].sort(), [...new Set(known)].sort())
})

test('the configuration of each proxy gets its name by the command of the page', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-install-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const commands = blocksOf('docs/install.md').flat()
  for (const [command, target] of [
    ['caddy', '/etc/caddy/Caddyfile'],
    ['nginx', '/etc/nginx/conf.d/posthorn.conf'],
  ] as const) {
    const line = commands.find((each) => each.startsWith('sed ') && each.endsWith(`> ${target}`))
    assert.ok(line, command)
    const made = execFileSync('sh', ['-c', line.replace(` > ${target}`, '')], { cwd: root, encoding: 'utf8' })
    const sites = made.replaceAll(/^\s*#.*\n/gm, '')
    assert.ok(sites.includes('messages.example.org') && !sites.includes('posthorn.example'), sites)
    writeFileSync(join(folder, `${command}file`), made)
  }
  const check = commands.find((line) => line.startsWith('caddy validate'))
  assert.equal(check, 'caddy validate --config /etc/caddy/Caddyfile')
  if (whyNoWebProxy('caddy') !== null) return
  const words = ['validate', '--adapter', 'caddyfile', '--config', join(folder, 'caddyfile')]
  const env = { PATH: process.env.PATH ?? '', HOME: folder }
  const ran = spawnSync('caddy', words, { env, encoding: 'utf8' })
  assert.equal(ran.status, 0, ran.stderr)
})
