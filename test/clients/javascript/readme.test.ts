import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { startPosthorn } from '../../kit/posthorn.ts'
import { clientFolder, installBuiltClient, nodes } from './built-client.ts'

/* The README of the client: each of its programs runs with the built package, in each Node.js that there is. */

const run = promisify(execFile)
const readme = readFileSync(join(clientFolder, 'README.md'), 'utf8')
const blocks = [...readme.matchAll(/^## (.+?)$|^```js\n(.*?)^```$/gms)]

/** The client that the README introduces once, and its later programs use. */
const introduction = `import { Posthorn } from '@posthorn/client'
const posthorn = new Posthorn({ baseUrl: process.env.POSTHORN_URL, key: process.env.POSTHORN_KEY })
`

function programs(): { name: string; text: string }[] {
  let chapter = ''
  return blocks.flatMap(([, title, text]) => {
    chapter = title ?? chapter
    if (text === undefined) return []
    return [{ name: chapter, text: text.includes('new Posthorn(') ? text : introduction + text }]
  })
}

describe('the README of the client', () => {
  test('has programs', () => assert.ok(programs().length >= 8))

  test('works in each Node.js that is here', { timeout: 300_000 }, async (context) => {
    const { folder } = await installBuiltClient()
    writeFileSync(join(folder, 'README.md'), readme)
    context.after(() => rmSync(folder, { recursive: true, force: true }))
    for (const { path, version } of await nodes()) {
      context.diagnostic(`with Node.js ${version}`)
      const posthorn = await startPosthorn()
      context.after(() => posthorn.stop())
      const env = {
        ...process.env,
        NODE_OPTIONS: '',
        POSTHORN_URL: posthorn.url,
        POSTHORN_KEY: posthorn.adminKey,
      }
      for (const [index, { name, text }] of programs().entries()) {
        const file = join(folder, `program-${index}.mjs`)
        writeFileSync(file, text)
        const { stdout, stderr } = await run(path, [file], { cwd: folder, env, timeout: 60_000 })
        assert.doesNotMatch(stderr, /error|warning/i, `${name} with ${version}`)
        if (index === 0) assert.match(stdout, /^msg_\w+ was read at 2/)
      }
      await posthorn.stop()
      rmSync(join(folder, 'cursor'), { force: true })
    }
  })
})
