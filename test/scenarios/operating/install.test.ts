import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { after, beforeEach, describe, test } from 'node:test'
import { freshFolder } from '../../kit/posthorn.ts'

/* Installations of `npm start` and `npm test` before they begin, with an npm that only notes how it was called. */

const root = new URL('../../..', import.meta.url).pathname
const home = freshFolder()
const note = join(home, 'note')
after(() => rmSync(home, { recursive: true, force: true }))

for (const name of ['install', 'npm', 'progress', 'provide-node'])
  cpSync(join(root, 'scripts', `${name}.mjs`), join(home, 'scripts', `${name}.mjs`))
cpSync(join(root, 'src/node-version.js'), join(home, 'src/node-version.js'))

function place(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), text)
  chmodSync(join(home, path), mode)
}

// In `scripts/node` it installs what `GIVES` has; without it, it succeeds with nothing, as npm does if an optional package is out of reach.
place(
  'commands/npm',
  `#!/bin/sh
case $PWD in */scripts/node) where=node ;; *) where=packages ;; esac
printf '%s: %s (%s)\\n' "$where" "$*" "$npm_config_omit" >> '${note}'
if [ -n "$FAILS" ]; then echo 'npm error code E503' >&2; exit 1; fi
if [ $where = node ] && [ -n "$GIVES" ]; then rm -rf node_modules; cp -R "$GIVES" node_modules; fi
`,
  0o755,
)

interface Circumstances {
  readonly flags?: readonly string[]
  readonly omit?: string
  /** The version of the machine's own Node. */
  readonly own?: string
  /** The folder with the Node that npm fetches. */
  readonly gives?: string
  readonly fails?: boolean
  readonly script?: 'install' | 'provide-node'
}

/** Runs one of the scripts; returns its exit code, what it said, and how it called npm. */
function run({ flags = [], omit, own = '26.0.0', gives, fails, script = 'install' }: Circumstances) {
  rmSync(note, { force: true })
  const { npm_config_omit: _, NPM_CONFIG_OMIT: __, ...environment } = process.env
  const env = {
    ...environment,
    PATH: `${join(home, 'commands')}${delimiter}${environment.PATH}`,
    ...(omit && { NPM_CONFIG_OMIT: omit }),
    ...(gives && { GIVES: join(home, gives) }),
    ...(fails && { FAILS: '1' }),
  }
  const pretends = `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"${own}"}})`
  const words = ['--import', pretends, join(home, 'scripts', `${script}.mjs`), ...flags]
  const { status, stderr } = spawnSync(process.execPath, words, { env, cwd: home })
  const calls = existsSync(note) ? readFileSync(note, 'utf8').trim().split('\n') : []
  return { status, said: stderr.toString(), calls }
}

const wanted = {
  '': { name: 'posthorn' },
  'node_modules/served': { version: '2.0.0' },
  'node_modules/shown': { version: '2.0.0', optional: true },
  'node_modules/tested': { version: '2.0.0', dev: true },
  'node_modules/both': { version: '2.0.0', devOptional: true },
}
type Name = 'served' | 'shown' | 'tested' | 'both'

/** Notes, as npm does, what is installed: these packages, of which those that begin with `old` are older than they should be. */
function installed(there: readonly (Name | `old ${Name}`)[]): void {
  const packages = there.map((given) => {
    const name = `node_modules/${given.replace('old ', '')}` as `node_modules/${Name}`
    return [name, { ...wanted[name], ...(given.startsWith('old') && { version: '1.0.0' }) }]
  })
  place('package-lock.json', JSON.stringify({ packages: wanted }))
  place('node_modules/.package-lock.json', JSON.stringify({ packages: Object.fromEntries(packages) }))
}

/** Returns the words that npm is called with; null if it is not. */
function called(
  there: readonly (Name | `old ${Name}`)[],
  flags: readonly string[],
  omit?: string,
): string | null {
  installed(there)
  const { status, calls } = run({ flags, ...(omit && { omit }) })
  assert.equal(status, 0)
  return calls.length === 0 ? null : calls.join('\n').replace(/^packages: ci [^(]*/, '')
}

const start = ['--omit=dev']
const tests: readonly string[] = []

describe('packages', () => {
  test('what is there is not installed again', () => {
    for (const flags of [start, tests])
      assert.equal(called(['served', 'shown', 'tested', 'both'], flags), null)
  })

  test('a server starts without what is only for development, or optional; tests do not', () => {
    assert.equal(called(['served'], start), null)
    assert.equal(called(['served', 'shown', 'both'], start), null)
    assert.equal(called(['served', 'shown', 'both'], tests), '()')
    assert.equal(called(['served', 'tested', 'both'], tests), null)
  })

  test('an update installs what the server needs, and keeps what is for development if it is there', () => {
    assert.equal(called(['old served'], start), '(dev)')
    assert.equal(called(['old served', 'tested', 'both'], start), '()')
    assert.equal(called(['served', 'old tested', 'both'], start), '()')
    assert.equal(called([], start), '(dev)')
    assert.equal(called([], tests), '()')
  })

  test('what npm is told to leave out stays out', () => {
    assert.equal(called(['old served'], start, 'optional'), '(optional\n\ndev)')
    assert.equal(called(['old served', 'tested', 'both'], tests, 'optional'), '(optional)')
  })

  test('it is said what is installed, and that it is done', () => {
    installed([])
    const { said } = run({ flags: start })
    assert.match(
      said,
      /^Posthorn: installing what is missing \(about 150 MB, once\) …\nPosthorn: done in \d+ s\n$/,
    )
  })

  test('if npm fails, so does the start, with what npm said and what to do', () => {
    installed([])
    const { status, said } = run({ flags: start, fails: true })
    assert.equal(status, 1)
    assert.match(
      said,
      /\nnpm error code E503\nPosthorn: the installation failed; .* then run the same command again\.\n$/,
    )
  })

  test('what a server needs takes at most 150 MB', () => {
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { dev?: boolean }>
    }
    const places = Object.entries(packages).flatMap(([path, { dev }]) => (path === '' || dev ? [] : [path]))
    // npm 10 installs it on every machine, though few need it.
    const needed = places.filter((path) => path !== 'node_modules/@img/sharp-wasm32')
    const there = needed.filter((path) => existsSync(join(root, path)))
    assert.ok(there.length > 150)
    const { stdout } = spawnSync('du', ['-skc', ...there], { cwd: root })
    const [kilobytes] = /^\d+(?=\ttotal)/m.exec(stdout.toString()) ?? []
    assert.ok(Number(kilobytes) < 150 * 1024, `${kilobytes} kB: see docs/decisions/0068`)
  })
})

describe('Node', () => {
  const { platform, arch } = process
  const name = `${platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node'}-${platform}-${arch}`
  const link = join(home, 'node_modules/.bin/node')
  const fetched = join(home, 'scripts/node/node_modules')
  const old = '24.14.1'

  /** A folder with a Node, for npm to install. */
  function nodePackage(version: string, program = 'exit 0'): string {
    const folder = `given-${version}`
    const packages = { [`node_modules/${name}`]: { version } }
    place(`${folder}/.package-lock.json`, JSON.stringify({ packages }))
    place(`${folder}/${name}/bin/node`, `#!/bin/sh\n${program}\n`, 0o755)
    return folder
  }

  function wants(version: string): void {
    const packages = { '': { name: 'posthorn-node' }, [`node_modules/${name}`]: { version } }
    place('scripts/node/package-lock.json', JSON.stringify({ packages }))
  }

  beforeEach(() => {
    for (const path of [fetched, link]) rmSync(path, { recursive: true, force: true })
    installed(['served'])
    wants('26.1.0')
  })

  test('the machine’s own is used if it is new enough, and none is fetched', () => {
    for (const own of ['24.15.0', '26.0.0', '100.0.0-nightly']) {
      assert.deepEqual(run({ flags: start, own }), { status: 0, said: '', calls: [] })
      assert.equal(existsSync(link), false)
    }
  })

  for (const script of ['install', 'provide-node'] as const)
    test(`${script}.mjs fetches one that npm’s scripts find first, if the machine’s own is too old`, () => {
      const gives = nodePackage('26.1.0')
      const { status, said, calls } = run({ flags: start, own: old, omit: 'optional', gives, script })
      assert.equal(status, 0)
      assert.match(said, /^Posthorn needs Node 24\.15 or later, and this machine has 24\.14\.1\.\n/)
      assert.match(said, /fetching Node 26\.1\.0 \(about 210 MB, once\) …\nPosthorn: done in \d+ s\n$/)
      // It is fetched also if Posthorn's optional packages are left out.
      assert.deepEqual(
        calls.map((call) => call.replace(/ci .*(--include)/, '$1')),
        ['node: --include=optional ()'],
      )
      assert.equal(readlinkSync(link), `../../scripts/node/node_modules/${name}/bin/node`)
      assert.equal(spawnSync(link).status, 0)
      assert.deepEqual(run({ flags: start, own: old, script }).calls, [])
    })

  test('an installation of the packages does not fetch it again, and puts it back in its place', () => {
    run({ flags: start, own: old, gives: nodePackage('26.1.0') })
    rmSync(join(home, 'node_modules'), { recursive: true })
    const { status, calls } = run({ flags: start, own: old })
    assert.equal(status, 0)
    assert.deepEqual(
      calls.map((call) => call.split(':')[0]),
      ['packages'],
    )
    assert.ok(lstatSync(link).isSymbolicLink() && existsSync(link))
  })

  test('an update fetches the newer one, or none if the machine’s own will do by now', () => {
    run({ flags: start, own: old, gives: nodePackage('26.1.0') })
    wants('26.2.0')
    assert.equal(run({ flags: start, own: old, gives: nodePackage('26.2.0') }).calls.length, 1)
    wants('26.3.0')
    assert.deepEqual(run({ flags: start, own: '26.3.0' }), { status: 0, said: '', calls: [] })
    assert.deepEqual([existsSync(fetched), lstatSync(link, { throwIfNoEntry: false })], [false, undefined])
  })

  test('it is said what to do if there is none', () => {
    const outOfReach = run({ flags: start, own: old })
    assert.equal(outOfReach.status, 1)
    assert.match(
      outOfReach.said,
      /…\nPosthorn: Node 26\.1\.0 could not be fetched\. Check that .*registry.* then run/,
    )
    const foreign = run({ flags: start, own: old, gives: nodePackage('26.1.0', 'exit 127') })
    assert.equal(foreign.status, 1)
    assert.match(
      foreign.said,
      /\nPosthorn: the Node that was fetched does not run on this machine; install Node/,
    )
    place('scripts/node/package-lock.json', JSON.stringify({ packages: {} }))
    rmSync(fetched, { recursive: true })
    const none = run({ flags: start, own: old })
    assert.deepEqual([none.status, none.calls], [1, []])
    assert.match(none.said, /There is none to fetch for \w+ on \w+, so install one yourself\.\n$/)
  })

  test('every machine fetches the same version', () => {
    const { packages } = JSON.parse(readFileSync(join(root, 'scripts/node/package-lock.json'), 'utf8')) as {
      packages: Record<string, { version?: string }>
    }
    const versions = new Set(Object.values(packages).flatMap(({ version }) => version ?? []))
    assert.equal(versions.size, 1)
  })
})

describe('progress', async () => {
  const { showProgress } = (await import(join(root, 'scripts/progress.mjs'))) as {
    showProgress(what: string, done: () => number, out: object): () => void
  }

  /** Returns the output when this much is done at each look. */
  function shown(parts: readonly number[], isTTY: boolean, mock: typeof import('node:test').mock): string {
    mock.timers.enable({ apis: ['setInterval'] })
    let text = ''
    const left = [...parts]
    const out = { isTTY, write: (more: string) => (text += more) }
    const end = showProgress('installing', () => left.shift() ?? 1, out)
    for (const _ of parts) mock.timers.tick(500)
    end()
    return text
  }

  test('is drawn in place on a terminal', ({ mock }) => {
    const draw = '\r\u001b[K'
    assert.equal(
      shown([0, 0.5, 1], true, mock),
      `Posthorn: installing …\n${draw}  0 %${draw}  50 %${draw}  99 %${draw}`,
    )
  })

  test('is a line for each quarter elsewhere', ({ mock }) => {
    const said = shown([0, 0.1, 0.26, 0.3, 0.8, 0.9, 1], false, mock)
    assert.equal(said, 'Posthorn: installing …\nPosthorn: 25 % …\nPosthorn: 75 % …\n')
  })
})
