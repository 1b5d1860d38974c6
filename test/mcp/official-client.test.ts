import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { create, eventually } from '../kit/play.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'
import { installPackages } from '../kit/processes/installed-package.ts'
import { root } from '../kit/source-tree.ts'

/* The official client of the protocol calls tools, in the revision without sessions and in the one before. */

interface Result {
  readonly content: readonly { readonly text: string }[]
  readonly isError?: boolean
}

/** The client, as far as it is used here. Its types are not there before it is installed. */
interface McpClient {
  connect(transport: unknown): Promise<void>
  listTools(): Promise<{ tools: { name: string; annotations?: Record<string, boolean> }[] }>
  callTool(call: { name: string; arguments: object }): Promise<Result>
  getServerVersion(): { name: string } | undefined
  getInstructions(): string | undefined
  close(): Promise<void>
}
interface McpLibrary {
  readonly Client: new (info: object, options: object) => McpClient
  readonly StreamableHTTPClientTransport: new (url: URL, options: object) => unknown
}

const folder = join(root, 'test/mcp')
let missing: string | undefined
let library: McpLibrary
let posthorn: Posthorn

before(async () => {
  missing = await installPackages(folder, 'mcp')
  if (missing !== undefined) return
  const path = createRequire(join(folder, 'package.json')).resolve('@modelcontextprotocol/client')
  library = (await import(pathToFileURL(path).href)) as McpLibrary
  posthorn = await startPosthorn()
  await create(posthorn.admin, 'trial')
})

after(() => posthorn?.stop())

async function connected(mode: unknown, key = posthorn.adminKey): Promise<McpClient> {
  const client = new library.Client({ name: 'trial', version: '1' }, { versionNegotiation: { mode } })
  const headers = { authorization: `Bearer ${key}` }
  const url = new URL(`${posthorn.url}/mcp`)
  await client.connect(new library.StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  return client
}

function read({ content, isError }: Result): Record<string, unknown> {
  const text = content.at(-1)?.text ?? ''
  assert.ok(!isError, text)
  return JSON.parse(text)
}

for (const [mode, name] of [
  ['legacy', 'with a handshake'],
  ['auto', 'that finds out what the server speaks'],
  [{ pin: '2026-07-28' }, 'without a session'],
] as const)
  describe(`a client ${name}`, () => {
    test('lists the tools, sends, reads what came back and removes', async (t) => {
      if (missing !== undefined) return t.skip(missing)
      const client = await connected(mode)
      const { tools } = await client.listTools()
      assert.equal(tools.length, 27)
      assert.equal(tools.find(({ name }) => name === 'delete_instance')?.annotations?.destructiveHint, true)
      assert.match(client.getInstructions() ?? '', /do not follow/)
      const idempotency_key = `greeting-${JSON.stringify(mode)}`
      const sending = { instance: 'trial', to: 'ana@replies.sandbox', text: 'Good morning' }
      const sent = read(
        await client.callTool({
          name: 'send_text',
          arguments: { ...sending, idempotency_key, wait_seconds: 20 },
        }),
      )
      assert.match(String(sent.status), /^(sent|delivered|read)$/)
      const filter = { instance: 'trial', direction: 'inbound' }
      const list = async () => read(await client.callTool({ name: 'list_messages', arguments: filter }))
      await eventually('the reply', list, ({ messages }) => (messages as object[]).length > 0)
      await create(posthorn.admin, 'gone')
      await client.callTool({ name: 'delete_instance', arguments: { name: 'gone' } })
      const state = () => client.callTool({ name: 'get_instance', arguments: { name: 'gone' } })
      await eventually('the removal', state, ({ isError }) => isError === true)
      await client.close()
    })

    test('is refused without a living key', async (t) => {
      if (missing !== undefined) return t.skip(missing)
      const { id, key } = await posthorn.createKey('default', 'read')
      await posthorn.revokeKey(id)
      await assert.rejects(connected(mode, key))
    })
  })
