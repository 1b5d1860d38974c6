import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { before, describe, test } from 'node:test'
import { languages } from '../../locales/languages.ts'
import { type ConsoleFiles, entryOf } from './console-files.ts'
import { loadFiles } from './load-files.ts'

/** Bytes that the first screen may take on the way to the browser. */
const maxAtFirst = 120_000
/** The screens of each page that people begin with: each counts with all that it imports. */
const firstScreens = {
  console: ['instances/instance-list', 'overview/overview'].map((name) => `web/console/screens/${name}.ts`),
  'link-page': [entryOf('link-page')],
}
const imports = /\bfrom\s*["'](\.[^"']+)["']/g

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

    test('have no lines of comments, and each other line where the source has it', () => {
      for (const [path, { body }] of scripts()) {
        if (path.startsWith('libraries/')) continue
        const lines = body.toString().split('\n')
        const written = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8').split('\n')
        assert.equal(lines.length, written.length, path)
        for (const [at, line] of lines.entries())
          if (line.trim() === '')
            assert.doesNotMatch(written[at] ?? '', /^(const|let|function|return) /, path)
          else assert.doesNotMatch(line, /^\s*(\/\/|\/\*|\* )/, path)
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

    for (const screen of firstScreens[page])
      test(`come to at most ${maxAtFirst} bytes with ${screen}, in any language`, () => {
        const sizeOf = (path: string) => loaded.files.get(path)?.gzipped.length ?? Number.NaN
        const needed = new Set(loaded.preloaded)
        // A set that is walked also walks what is added meanwhile.
        for (const path of needed.add(screen))
          for (const [, specifier = ''] of loaded.files.get(path)?.body.toString().matchAll(imports) ?? [])
            needed.add(posix.join(posix.dirname(path), specifier))
        const words = Math.max(...languages.map(({ tag }) => sizeOf(`words/${tag}.json`)))
        const bytes = [...needed, 'style.css'].reduce((sum, path) => sum + sizeOf(path), words)
        assert.ok(bytes > 0 && bytes <= maxAtFirst, `${bytes} bytes`)
      })
  })
}
