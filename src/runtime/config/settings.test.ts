import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { settingNames } from './config.ts'
import { settings } from './settings.ts'

test('docs/configuration.md lists every setting, with its default and description word for word, and no other', () => {
  const text = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8')
  const listed = [...text.matchAll(/^\| `(POSTHORN_\w+)` \| (.+?) \| (.+) \|$/gm)].map((row) => row.slice(1))
  const wanted = settingNames.map((name) => {
    const { default: fallback, description } = settings[name]
    return [name, fallback === '' ? '–' : `\`${fallback}\``, description]
  })
  assert.deepEqual(listed, wanted)
})
