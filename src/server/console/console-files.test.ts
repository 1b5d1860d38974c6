import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { before, describe, test } from 'node:test'
import { languages } from '../../locales/languages.ts'
import { type ConsoleFiles, entryOf } from './console-files.ts'
import { loadFiles } from './load-files.ts'

/** Bytes that the first screen may take on the way to the browser. */
const maxAtFirst = 120_000

for (const page of ['console', 'link-page'] as const) {
  describe(`the files of the ${page}`, () => {
    let loaded: ConsoleFiles
    before(async () => {
      loaded = await loadFiles(page)
    })

    const scripts = () => [...loaded.files].filter(([, { contentType }]) => /javascript/.test(contentType))

    test('are scripts without types, each of which a browser can parse', async () => {
      assert.ok(loaded.files.has(entryOf(page)))
      for (const [path, { body }] of scripts()) {
        assert.doesNotMatch(body.toString(), /^(export )?interface |^import type /m, path)
      }
    })

    test('import only each other', () => {
      for (const [path, { body }] of scripts()) {
        for (const [, specifier = ''] of body.toString().matchAll(/^import[^'"]*["']([^'"]+)["']/gm)) {
          const target = posix.join(posix.dirname(path), specifier)
          assert.ok(specifier.startsWith('.') && loaded.files.has(target), `${path} imports ${specifier}`)
        }
      }
    })

    test('are the same every time, under the same digest', async () => {
      assert.equal((await loadFiles(page)).digest, loaded.digest)
    })

    test(`come to at most ${maxAtFirst} bytes for the first screen, in any language`, () => {
      const sizeOf = (path: string) => loaded.files.get(path)?.gzipped.length ?? Number.NaN
      const words = Math.max(...languages.map(({ tag }) => sizeOf(`words/${tag}.json`)))
      const bytes = ['style.css', ...loaded.preloaded].reduce((sum, path) => sum + sizeOf(path), words)
      assert.ok(bytes > 0 && bytes <= maxAtFirst, `${bytes} bytes`)
    })
  })
}
