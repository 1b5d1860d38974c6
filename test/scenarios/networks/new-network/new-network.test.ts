import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { createClient } from '../../../../src/contract/client/client.ts'
import { createInstance } from '../../../../src/contract/operations/instance-operations.ts'
import { sendTextMessage } from '../../../../src/contract/operations/message-operations.ts'
import { silentLog } from '../../../../src/runtime/log.ts'
import { root } from '../../../kit/source-tree.ts'

/*
 * Adds a network as CONTRIBUTING.md says: a folder, and a line in the list of networks. It is added to a copy of the source, which
 * is compiled, and sends a text by it.
 */

const copy = mkdtempSync(join(tmpdir(), 'posthorn-new-network-'))
after(() => rmSync(copy, { recursive: true, force: true }))

const list = 'src/networks/networks.ts'

function addNetwork(): void {
  for (const name of ['src', 'package.json', 'tsconfig.json'])
    cpSync(join(root, name), join(copy, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  const folder = join(import.meta.dirname, 'echo')
  for (const name of readdirSync(folder))
    cpSync(join(folder, name), join(copy, 'src/networks/echo', name.replace(/\.txt$/, '')))
  const before = readFileSync(join(copy, list), 'utf8')
  writeFileSync(join(copy, list), before.replace('\n])', "\n  import('./echo/index.ts'),\n])"))
}

/** The files of the source that differ from those of the repository, with how many lines each has more. */
function changedFiles(): Map<string, number> {
  const changed = new Map<string, number>()
  for (const entry of readdirSync(join(copy, 'src'), { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name).slice(copy.length + 1)
    if (!entry.isFile() || path.startsWith('src/networks/echo/')) continue
    const [original, text] = [root, copy].map((place) => readFileSync(join(place, path), 'utf8')) as [
      string,
      string,
    ]
    if (original !== text) changed.set(path, text.split('\n').length - original.split('\n').length)
  }
  return changed
}

/** The API: it takes one token, and keeps the texts. */
async function startApi() {
  const texts: unknown[] = []
  const server = createServer(async (request, response) => {
    const isKnown = request.headers.authorization === 'Bearer example'
    if (isKnown && request.method === 'POST') texts.push(await json(request))
    response.writeHead(isKnown ? 200 : 401).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { texts, url: `http://127.0.0.1:${port}/texts`, close: () => server.close() }
}

type ConfigModule = typeof import('../../../../src/networks/config.ts')
type StartModule = typeof import('../../../../src/gateway/start.ts')

async function startCopy() {
  const take = (path: string): Promise<unknown> => import(pathToFileURL(join(copy, path)).href)
  const { readConfig } = (await take('src/networks/config.ts')) as ConfigModule
  const { openGateway } = (await take('src/gateway/start.ts')) as StartModule
  const data = join(copy, 'data')
  const config = readConfig({
    POSTHORN_LISTEN: '127.0.0.1:0',
    POSTHORN_DATA: data,
    POSTHORN_CONNECT_ALLOW_CIDRS: '127.0.0.0/8',
  })
  const gateway = await openGateway(config, silentLog, {
    onReplaced: () => assert.fail('other nodes declared this one gone'),
    onStoreLost: (cause) => assert.fail(cause),
  })
  const key = readFileSync(join(data, 'admin.key'), 'utf8').trim()
  return { gateway, client: createClient({ baseUrl: gateway.url, key }) }
}

test('a new network is a folder and one line of a list; it compiles and sends a text', async () => {
  addNetwork()
  assert.deepEqual([...changedFiles()], [[list, 1]])
  const config = { extends: './tsconfig.json', include: ['src'], exclude: ['src/web', 'src/**/*.test.ts'] }
  writeFileSync(join(copy, 'tsconfig.copy.json'), JSON.stringify(config))
  const compiler = join(root, 'node_modules/.bin/tsc')
  const compiled = spawnSync(compiler, ['-p', 'tsconfig.copy.json'], { cwd: copy, encoding: 'utf8' })
  assert.equal(compiled.status, 0, compiled.stdout + compiled.stderr)

  const api = await startApi()
  const { gateway, client } = await startCopy()
  try {
    const settings = { url: api.url }
    const body = { name: 'line', network: 'echo', settings, credentials: { token: 'example' } }
    const { body: instance } = await client.call(createInstance, { body, waitSeconds: 20 })
    assert.equal(instance.status, 'connected')
    const text = { instance: 'line', to: 'Ana', text: 'hello' }
    const { body: sent } = await client.call(sendTextMessage, { body: text, waitSeconds: 20 })
    assert.deepEqual([sent.status, sent.to], ['sent', 'ana'])
    assert.deepEqual(api.texts, [{ id: sent.network_message_id, to: 'ana', text: 'hello' }])
  } finally {
    await gateway.stop()
    api.close()
  }
})
