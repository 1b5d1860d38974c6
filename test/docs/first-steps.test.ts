import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { copyFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { PNG } from 'pngjs'

import { eventually, everythingListed } from '../kit/play.ts'
import { freshFolder, type Posthorn, startPosthorn } from '../kit/posthorn.ts'
import { endWithUs } from '../kit/processes/end-with-us.ts'
import { root } from '../kit/source-tree.ts'
import { commandsOn, Walker } from '../kit/walk.ts'

/* A person who reads the README and docs/start.md types what stands there. */

const folder = freshFolder()
const pictures = createServer((_, response) =>
  response
    .writeHead(200, { 'content-type': 'image/png' })
    .end(PNG.sync.write(new PNG({ width: 8, height: 8 }))),
)
let posthorn: Posthorn
let walker: Walker

before(async () => {
  await new Promise<void>((resolve) => pictures.listen(0, '127.0.0.1', resolve))
  const { port } = pictures.address() as AddressInfo
  posthorn = await startPosthorn({
    data: join(folder, 'data'),
    environment: { POSTHORN_FETCH_ALLOW_CIDRS: '127.0.0.0/8' },
  })
  copyFileSync(join(root, 'README.md'), join(folder, 'README.md'))
  walker = new Walker(posthorn, folder, { 'https://www.w3.org': `http://127.0.0.1:${port}` })
})

after(async () => {
  await posthorn.stop()
  pictures.close()
  rmSync(folder, { recursive: true, force: true })
})

/** The commands of a block that stands below a heading, one by one. */
function commandsUnder(page: string, heading: string): string[] {
  return commandsOn(page, heading).flatMap((block) => block.split('\n\n'))
}

const typed = async (command: string) => JSON.parse(await walker.type(command))

test('the first message of the README is read', async () => {
  const [key = '', create = '', send = '', ...others] = commandsUnder('README.md', '## The first message')
  assert.deepEqual(others, [])
  assert.equal(await walker.type(`${key}\necho $KEY`), `${posthorn.adminKey}\n`)
  assert.equal((await typed(create)).status, 'connected')
  const { id } = await typed(send)
  await eventually(
    'the message to be read',
    () => everythingListed(posthorn.admin, { instance: 'trial' }),
    (messages) => messages.some((message) => message.id === id && message.status === 'read'),
  )
})

test('files are sent as an upload and from a URL, and the sandbox has templates', async () => {
  const [upload = '', fromUrl = '', ...others] = commandsUnder('docs/start.md', '## Files and templates')
  assert.deepEqual(others, [])
  assert.equal((await typed(upload)).media.filename, 'README.md')
  const { kind, media } = await typed(fromUrl)
  assert.deepEqual([kind, media.filename], ['image', 'w3c_home.png'])
})

test('Ana replies, a stream shows it, and a webhook has a secret', async () => {
  const blocks = commandsOn('docs/start.md', '## What happens, as it happens')
  const [, text = '', stream = '', webhook = '', , ...others] = blocks
  assert.deepEqual(others, [])
  const { id } = await typed(text)
  await eventually(
    'the reply of Ana',
    () => everythingListed(posthorn.admin, { instance: 'trial', direction: 'inbound' }),
    (messages) => messages.length > 0,
  )
  assert.match(await firstOf(stream), /^(id|event|data|retry|:)/m)
  assert.match((await typed(webhook)).secret, /^whsec_/)
  assert.match(id, /^msg_/)
})

test('the abilities of each network are listed', async () => {
  const [list = ''] = commandsOn('docs/start.md', '### What each network can do')
  assert.ok((await typed(list)).data.length >= 5)
})

/** The first that a command prints which goes on until it is ended. */
function firstOf(command: string): Promise<string> {
  const here = command.replaceAll('http://127.0.0.1:8080', posthorn.url)
  const child = spawn('bash', ['-c', `exec ${here}`], { env: { ...process.env, KEY: posthorn.adminKey } })
  endWithUs(child)
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`it ended with ${code}`)))
    child.stdout.once('data', (chunk: Buffer) => {
      resolve(chunk.toString())
      child.kill('SIGKILL')
    })
  })
}
