import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { inChild } from './in-child.ts'

const folder = mkdtempSync(join(tmpdir(), 'posthorn-in-child-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** A module that does this. */
function moduleOf(name: string, script: string): URL {
  const path = join(folder, `${name}.mjs`)
  writeFileSync(path, script)
  return pathToFileURL(path)
}

const print = `import { serialize } from 'node:v8'; const print = (result) => process.stdout.write(serialize(result))\n`

test('a child is given words and an input, and what it prints comes back', async () => {
  const echo = moduleOf(
    'echo',
    `${print}import { text } from 'node:stream/consumers'
    print({ words: process.argv.slice(2), input: await text(process.stdin) })`,
  )
  // It is more than a pipe holds.
  const input = 'é'.repeat(300_000)
  assert.deepEqual(await inChild(echo, { words: ['one', 'two'], input }), { words: ['one', 'two'], input })
  assert.deepEqual(await inChild(echo), { words: [], input: '' })
})

test('a child need not read its input', async () => {
  const deaf = moduleOf('deaf', `${print}process.stdin.destroy(); print('done')`)
  assert.equal(await inChild(deaf, { input: 'x'.repeat(1_000_000) }), 'done')
})

test('a child that fails is told with its own words, and without its input', async () => {
  const failing = moduleOf('failing', `throw new Error('there is no file')`)
  await assert.rejects(inChild(failing, { input: 'a secret '.repeat(100_000) }), ({ message }: Error) => {
    assert.match(message, /there is no file/)
    return !message.includes('secret')
  })
})
