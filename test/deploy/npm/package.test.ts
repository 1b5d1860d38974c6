import assert from 'node:assert/strict'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { listPacked, type Packed, pack, readPacked } from '../../kit/deploy/npm-package.ts'
import { freshFolder } from '../../kit/posthorn.ts'

/* The npm package, as `npm run pack` writes it. */

const root = new URL('../../..', import.meta.url).pathname
const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'))

describe('the npm package', { timeout: 280_000 }, () => {
  const home = freshFolder()
  after(() => rmSync(home, { recursive: true, force: true }))
  let packed: Packed
  let files: readonly string[]
  before(async () => {
    packed = await pack(join(home, 'first'))
    files = await listPacked(packed.tarball)
  })

  test('is the same, byte for byte, each time it is made', async () => {
    const again = await pack(join(home, 'second'))
    for (const file of ['tarball', 'bill'] as const)
      assert.ok(readFileSync(packed[file]).equals(readFileSync(again[file])), file)
  })

  test('takes at most 3 MB', (t) => {
    const { size } = statSync(packed.tarball)
    t.diagnostic(`${(size / 2 ** 20).toFixed(2)} MB packed, ${files.length} files`)
    assert.ok(size <= 3 * 2 ** 20, `${size} bytes`)
  })

  test('has the program, its declarations and its texts, and no test', () => {
    for (const name of [
      'README.md',
      'LICENSE',
      'NOTICE',
      'docs/configuration.md',
      'dist/main.js',
      'dist/main.d.ts',
    ])
      assert.ok(files.includes(name), name)
    assert.deepEqual(
      files.filter((path) => /\.test\.|^(test|bench|demo|src|scripts)\//.test(path)),
      [],
    )
    // TypeScript that Node had to run would not run in a package; what browsers get is read as a text.
    const typescript = files.filter((path) => /(?<!\.d)\.ts$/.test(path) && !path.startsWith('dist/web/'))
    assert.deepEqual(typescript, ['dist/locales/languages.ts'])
  })

  test('asks for what the clone does, and brings no script and no Node', async () => {
    const described = JSON.parse(await readPacked(packed.tarball, 'package.json'))
    const { dependencies, optionalDependencies, version } = read('package.json')
    assert.deepEqual(
      [described.dependencies, described.optionalDependencies],
      [dependencies, optionalDependencies],
    )
    assert.deepEqual(
      [described.version, described.private, described.scripts, described.devDependencies],
      [version, undefined, undefined, undefined],
    )
    assert.deepEqual(described.bin, { posthorn: 'dist/cli/posthorn.js' })
  })

  test('has a bill of all packages that it may bring, with licences', () => {
    const { components } = JSON.parse(readFileSync(packed.bill, 'utf8')) as { components: Component[] }
    const { packages } = read('package-lock.json') as {
      packages: Record<string, { dev?: boolean; version: string }>
    }
    const wanted = Object.entries(packages).flatMap(([place, { dev, version }]) =>
      place === '' || dev ? [] : [`${place.split('node_modules/').at(-1)}@${version}`],
    )
    const listed = components.map(
      ({ group, name, version }) => `${group ? `${group}/` : ''}${name}@${version}`,
    )
    assert.deepEqual([...new Set(listed)].sort(), [...new Set(wanted)].sort())
    const without = components.filter(({ licenses = [] }) => licenses.length === 0).map(({ name }) => name)
    assert.deepEqual(without, [])
  })
})

interface Component {
  readonly group?: string
  readonly name: string
  readonly version: string
  readonly licenses?: readonly unknown[]
}
