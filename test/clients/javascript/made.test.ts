import assert from 'node:assert/strict'
import { globSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { madeFiles } from '../../../clients/javascript/generate/made-files.ts'
import { methodNames } from '../../../clients/javascript/generate/method-names.ts'
import { operations as table } from '../../../clients/javascript/src/contract/operations.ts'
import { Posthorn } from '../../../clients/javascript/src/index.ts'
import { version } from '../../../clients/javascript/src/surroundings.ts'
import type { Operation } from '../../../src/contract/operation.ts'
import { operations } from '../../../src/contract/operations.ts'
import { clientFolder, installBuiltClient } from './built-client.ts'

/* The parts of the JavaScript client that are made of the contract, and the package that is made of all. */

const command = 'run `node clients/javascript/generate/generate.ts`'

describe('what is made of the contract', () => {
  for (const [name, text] of Object.entries(madeFiles())) {
    test(`${name} is up to date`, () => {
      const kept = readFileSync(join(clientFolder, 'src/contract', name), 'utf8')
      assert.ok(kept === text, `${name} is not what the contract says: ${command}`)
    })
  }

  test('refuses an operation that has no method', () => {
    const added: Operation = { ...(operations[0] as Operation), id: 'getWeather', path: '/v1/quotas/weather' }
    assert.throws(() => madeFiles([...operations, added]), /getWeather has no method/)
  })

  test('has a method for each operation, and an operation for each method', () => {
    const rows = Object.entries(table).flatMap(([resource, methods]) =>
      Object.entries(methods).map(([name, [method, path]]) => `${resource}.${name} ${method} ${path}`),
    )
    const names: Readonly<Record<string, string | null>> = methodNames
    const expected = operations
      .filter(({ id }) => names[id] !== null)
      .map(({ id, method, path }) => `${names[id]} ${method} ${path}`)
    assert.deepEqual(rows.sort(), expected.sort())
    const client = new Posthorn({ baseUrl: 'http://127.0.0.1:1' }) as unknown as Record<
      string,
      Record<string, unknown>
    >
    for (const row of rows) {
      const [resource = '', name = ''] = row.split(' ')[0]?.split('.') ?? []
      assert.equal(typeof client[resource]?.[name], 'function', row)
    }
  })
})

describe('the package', () => {
  let built: Awaited<ReturnType<typeof installBuiltClient>>
  before(async () => {
    built = await installBuiltClient()
  })
  after(() => rmSync(built.folder, { recursive: true, force: true }))

  test('has at most 15 KB of JavaScript, compressed', (context) => {
    const sizes = globSync('**/*.js', { cwd: built.dist }).map(
      (name) => gzipSync(readFileSync(join(built.dist, name))).length,
    )
    const size = sizes.reduce((sum, each) => sum + each, 0)
    context.diagnostic(`${size} bytes in ${sizes.length} files`)
    assert.ok(sizes.length > 5 && size <= 15_000, `${size} bytes`)
  })

  test('needs no package and, unless a file is sent by its path, no runtime in particular', () => {
    const texts = globSync('**/*.js', { cwd: built.dist }).map((name) =>
      readFileSync(join(built.dist, name), 'utf8'),
    )
    const specifiers = texts.flatMap((text) =>
      [...text.matchAll(/(?:from|import) ?\(?'([^']+)'/g)].map(([, from]) => from),
    )
    assert.ok(specifiers.length > 10)
    assert.deepEqual(
      specifiers.filter((from) => !/^\.\.?\/.*\.js$/.test(from ?? '')),
      [],
    )
    const manifest = JSON.parse(readFileSync(join(clientFolder, 'package.json'), 'utf8'))
    assert.equal(manifest.dependencies, undefined)
    assert.equal(manifest.version, version)
  })

  test('declares its types with what the reference says', () => {
    const text = readFileSync(join(built.dist, 'contract/methods.d.ts'), 'utf8')
    assert.match(
      text,
      /\* Accepts a text for one recipient[^}]*sendText\(body: SendText, options\?: SendOptions\): Promise<Message>/,
    )
  })
})
