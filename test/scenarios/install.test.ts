import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { freshFolder } from '../kit/posthorn.ts'

/* What `npm start` and `npm test` install before they begin, with an npm that only notes how it was called. */

const home = freshFolder()
const note = join(home, 'note')
after(() => rmSync(home, { recursive: true, force: true }))

const script = join(home, 'scripts', 'install.mjs')
cpSync(new URL('../../scripts/install.mjs', import.meta.url).pathname, script)

function place(path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), text)
}

place('npm', `#!/bin/sh\nprintf '%s: %s' "$*" "$npm_config_omit" > '${note}'\n`)
chmodSync(join(home, 'npm'), 0o755)
place('node_modules/.bin/node', '')

const wanted = {
  '': { name: 'posthorn' },
  'node_modules/served': { version: '2.0.0' },
  'node_modules/shown': { version: '2.0.0', optional: true },
  'node_modules/tested': { version: '2.0.0', dev: true },
  'node_modules/both': { version: '2.0.0', devOptional: true },
}
type Name = 'served' | 'shown' | 'tested' | 'both'

/** What npm is called with; null if it is not. `there`: the packages that are installed; those that begin with `old` are older. */
function called(
  there: readonly (Name | `old ${Name}`)[],
  flags: readonly string[],
  omit?: string,
): string | null {
  const packages = there.map((given) => {
    const name = `node_modules/${given.replace('old ', '')}` as `node_modules/${Name}`
    return [name, { ...wanted[name], ...(given.startsWith('old') && { version: '1.0.0' }) }]
  })
  place('package-lock.json', JSON.stringify({ packages: wanted }))
  place('node_modules/.package-lock.json', JSON.stringify({ packages: Object.fromEntries(packages) }))
  rmSync(note, { force: true })
  const { npm_config_omit: _, NPM_CONFIG_OMIT: __, ...environment } = process.env
  const env = {
    ...environment,
    PATH: `${home}${delimiter}${environment.PATH}`,
    ...(omit && { NPM_CONFIG_OMIT: omit }),
  }
  assert.equal(spawnSync(process.execPath, [script, ...flags], { env }).status, 0)
  return existsSync(note) ? readFileSync(note, 'utf8').replace(/^ci [^:]*/, 'ci') : null
}

const start = ['--omit=dev']
const tests: readonly string[] = []

test('what is there is not installed again', () => {
  for (const flags of [start, tests]) assert.equal(called(['served', 'shown', 'tested', 'both'], flags), null)
})

test('a server starts without what is only for development, or optional; tests do not', () => {
  assert.equal(called(['served'], start), null)
  assert.equal(called(['served', 'shown', 'both'], start), null)
  assert.equal(called(['served', 'shown', 'both'], tests), 'ci: ')
  assert.equal(called(['served', 'tested', 'both'], tests), null)
})

test('an update installs what the server needs, and keeps what is for development if it is there', () => {
  assert.equal(called(['old served'], start), 'ci: dev')
  assert.equal(called(['old served', 'tested', 'both'], start), 'ci: ')
  assert.equal(called(['served', 'old tested', 'both'], start), 'ci: ')
  assert.equal(called([], start), 'ci: dev')
  assert.equal(called([], tests), 'ci: ')
})

test('what npm is told to leave out stays out', () => {
  assert.equal(called(['old served'], start, 'optional'), 'ci: optional\n\ndev')
  assert.equal(called(['old served', 'tested', 'both'], tests, 'optional'), 'ci: optional')
})
