import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createInstance } from '../../src/contract/operations/instance-operations.ts'
import { getMessageMedia, listMessages } from '../../src/contract/operations/message-operations.ts'
import { listWebhooks } from '../../src/contract/operations/webhook-operations.ts'
import { eventually, text } from '../kit/play.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'
import { builtNodes } from './built-nodes.ts'
import { type RunningN8n, startN8n } from './running-n8n.ts'

/*
 * The nodes in a real n8n, which is too large for each run: `npm install --ignore-scripts n8n` in a folder takes 3 GB and some minutes.
 * `POSTHORN_TEST_N8N=FOLDER node --test test/n8n/in-n8n.ts` runs this.
 */

const installed = process.env.POSTHORN_TEST_N8N
/** Milliseconds that n8n may take for something. */
const maxWait = 120_000

/** Forwards to a server, and cuts the first answer to a text: n8n cannot know whether that was accepted. */
async function startLossyProxy(url: string) {
  const cut = { count: 0 }
  const listener = createServer((client) => {
    const server = connect(Number(new URL(url).port), '127.0.0.1')
    let isLost = false
    for (const socket of [client, server]) socket.on('error', () => {})
    client.on('data', (data) => {
      isLost = cut.count === 0 && data.toString('latin1').startsWith('POST /v1/messages/text')
      server.write(data)
    })
    client.on('end', () => server.end())
    server.on('end', () => client.end())
    server.on('data', (data) => {
      if (!isLost) return client.write(data)
      cut.count++
      server.destroy()
      return client.destroy()
    })
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    cut,
    close: () => listener.close(),
  }
}

/** A workflow of nodes, each connected to the next. */
function workflow(name: string, nodes: readonly Record<string, unknown>[]): object {
  const names = nodes.map((node) => String(node.name))
  const connections = Object.fromEntries(
    names
      .slice(0, -1)
      .map((from, at) => [from, { main: [[{ node: names[at + 1], type: 'main', index: 0 }]] }]),
  )
  const placed = nodes.map((node, at) => ({ id: `node-${name}-${at}`, position: [at * 200, 0], ...node }))
  return { name, nodes: placed, connections, settings: { executionOrder: 'v1' } }
}

const hook = (path: string) => ({
  ...{ name: 'Webhook', type: 'n8n-nodes-base.webhook', typeVersion: 2, webhookId: `hook-${path}` },
  parameters: { httpMethod: 'POST', path, responseMode: 'lastNode', options: {} },
})

const posthornNode = (credentials: object, parameters: object) => ({
  ...{ name: 'Posthorn', type: 'n8n-nodes-posthorn.posthorn', typeVersion: 1, credentials },
  ...{ retryOnFail: true, maxTries: 3, waitBetweenTries: 200 },
  parameters: { resource: 'message', instance: 'shop', ...parameters },
})

/** Creates the workflow and activates it. */
async function activate(n8n: RunningN8n, ...described: Parameters<typeof workflow>): Promise<string> {
  const { id } = await n8n.call('POST', '/workflows', workflow(...described))
  await n8n.call('POST', `/workflows/${id}/activate`)
  return String(id)
}

async function sentTo(posthorn: Posthorn, to: string) {
  return (await posthorn.admin.call(listMessages, { query: { to } })).body.data
}

/** Posts to a workflow, as soon as n8n has registered its webhook: it does so after the activation was answered. */
function start(url: string, body: object) {
  const post = () => postTo(url, body)
  return eventually('the workflow to be active', post, ({ status }) => status !== 404, maxWait)
}

async function postTo(url: string, body: object) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, text: await response.text() }
}

interface Stage {
  readonly posthorn: Posthorn
  readonly proxy: Awaited<ReturnType<typeof startLossyProxy>>
  readonly n8n: RunningN8n
  readonly credentials: object
}

/** A Posthorn with an instance, and an n8n that reaches it by a lossy proxy. */
async function stage(context: TestContext, folder: string): Promise<Stage> {
  const posthorn = await startPosthorn({ environment: { POSTHORN_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' } })
  context.after(() => posthorn.stop())
  await posthorn.admin.call(createInstance, { body: { name: 'shop', network: 'sandbox' }, waitSeconds: 20 })
  const proxy = await startLossyProxy(posthorn.url)
  context.after(proxy.close)
  const n8n = await startN8n(String(installed), folder)
  context.after(() => n8n.stop())
  const data = { url: proxy.url, apiKey: posthorn.adminKey }
  const { id, name } = await n8n.call('POST', '/credentials', { name: 'Posthorn', type: 'posthornApi', data })
  return { posthorn, proxy, n8n, credentials: { posthornApi: { id, name } } }
}

async function loseAnswer({ posthorn, proxy, n8n, credentials }: Stage): Promise<void> {
  const fields = { operation: 'sendText', to: '={{ $json.body.to }}', text: '={{ $json.body.text }}' }
  await activate(n8n, 'send', [hook('send'), posthornNode(credentials, { ...fields, options: { wait: 20 } })])
  const sent = await start(`${n8n.url}/webhook/send`, { to: 'ana@accepts.sandbox', text: 'Good morning' })
  assert.equal(sent.status, 200, sent.text)
  assert.equal(JSON.parse(sent.text).status, 'sent')
  assert.equal(proxy.cut.count, 1)
  assert.equal((await sentTo(posthorn, 'ana@accepts.sandbox')).length, 1)
}

async function sendFile({ posthorn, n8n, credentials }: Stage): Promise<void> {
  const file = {
    ...{ name: 'File', type: 'n8n-nodes-base.convertToFile', typeVersion: 1.1 },
    parameters: { operation: 'toText', sourceProperty: 'body.text', options: { fileName: 'note.txt' } },
  }
  const fields = {
    operation: 'sendFile',
    to: 'cy@accepts.sandbox',
    source: 'binary',
    binaryPropertyName: 'data',
    kind: 'document',
  }
  await activate(n8n, 'file', [hook('file'), file, posthornNode(credentials, fields)])
  const sent = await start(`${n8n.url}/webhook/file`, { text: 'Grüße' })
  assert.equal(sent.status, 200, sent.text)
  const stored = await posthorn.admin.call(getMessageMedia, { params: { id: JSON.parse(sent.text).id } })
  assert.equal(Buffer.from(stored.bytes ?? []).toString(), 'Grüße')
}

async function receive({ posthorn, n8n, credentials }: Stage): Promise<void> {
  const trigger = {
    ...{ name: 'Trigger', type: 'n8n-nodes-posthorn.posthornTrigger', typeVersion: 1 },
    ...{ webhookId: 'hook-trigger', credentials, parameters: { events: ['message.received'] } },
  }
  const fields = { operation: 'sendText', to: 'bo@accepts.sandbox', text: '={{ $json.data.message.text }}' }
  const workflowId = await activate(n8n, 'receive', [trigger, posthornNode(credentials, fields)])
  const webhooks = async () => (await posthorn.admin.call(listWebhooks)).body.data
  const registered = await eventually('the webhook', webhooks, ({ length }) => length > 0, maxWait)
  const [{ url, events } = assert.fail('there is no webhook'), ...others] = registered
  assert.deepEqual([events, others], [['message.received'], []])
  assert.equal((await start(url, { type: 'message.received', data: {} })).status, 401)
  await text(posthorn.admin, { instance: 'shop', to: 'ana@replies.sandbox' })
  const [passedOn] = await eventually(
    'the message of the workflow',
    () => sentTo(posthorn, 'bo@accepts.sandbox'),
    (sent) => sent.length > 0,
    maxWait,
  )
  assert.ok(passedOn?.text)
  await n8n.call('POST', `/workflows/${workflowId}/deactivate`)
  await eventually('the webhook to be removed', webhooks, ({ length }) => length === 0, maxWait)
}

/** Answers as the API of OpenAI does: asks for these calls of the first tool, and says that all is done once it has their results. */
async function startModel(context: TestContext, calls: readonly object[]): Promise<string> {
  const server = createHttpServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { messages, tools } = JSON.parse(Buffer.concat(chunks).toString())
    const isDone = messages.some(({ role }: { role: string }) => role === 'tool')
    const tool_calls = calls.map((call, at) => ({
      ...{ id: `call_${at}`, type: 'function' },
      function: { name: tools[0].function.name, arguments: JSON.stringify(call) },
    }))
    const message = isDone ? { content: 'All is sent.' } : { content: null, tool_calls }
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({
        ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'fake' },
        choices: [
          {
            index: 0,
            message: { role: 'assistant', ...message },
            finish_reason: isDone ? 'stop' : 'tool_calls',
          },
        ],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  context.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

/** An agent that writes to two people in one execution: each call of the tool is a message of its own. */
async function useAsTool({ posthorn, n8n, credentials }: Stage, context: TestContext): Promise<void> {
  const people = ['di@accepts.sandbox', 'ed@accepts.sandbox']
  const url = await startModel(context, [...people.map((to) => ({ to, text: 'Good morning' }))])
  const openAi = { name: 'Model', type: 'openAiApi', data: { apiKey: 'none', url, header: false } }
  const { id, name } = await n8n.call('POST', '/credentials', openAi)
  const langchain = '@n8n/n8n-nodes-langchain'
  const agent = {
    ...{ name: 'Agent', type: `${langchain}.agent`, typeVersion: 2 },
    parameters: { promptType: 'define', text: 'Greet both.', options: {} },
  }
  const model = {
    ...{ name: 'Model', type: `${langchain}.lmChatOpenAi`, typeVersion: 1.2 },
    ...{
      credentials: { openAiApi: { id, name } },
      parameters: { model: { __rl: true, mode: 'id', value: 'fake' } },
    },
  }
  const fromAi = (field: string) => `={{ $fromAI('${field}', '', 'string') }}`
  const fields = { operation: 'sendText', to: fromAi('to'), text: fromAi('text') }
  const tool = { ...posthornNode(credentials, fields), type: 'n8n-nodes-posthorn.posthornTool' }
  const described = workflow('agent', [hook('agent'), agent]) as { nodes: object[]; connections: object }
  const others = [model, tool].map((node, at) => ({
    id: `node-agent-other-${at}`,
    position: [0, 200],
    ...node,
  }))
  const connections = {
    ...described.connections,
    Model: { ai_languageModel: [[{ node: 'Agent', type: 'ai_languageModel', index: 0 }]] },
    Posthorn: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
  }
  const created = await n8n.call('POST', '/workflows', {
    ...described,
    ...{ nodes: [...described.nodes, ...others], connections },
  })
  await n8n.call('POST', `/workflows/${created.id}/activate`)
  const done = await start(`${n8n.url}/webhook/agent`, {})
  assert.equal(done.status, 200, done.text)
  for (const person of people) assert.equal((await sentTo(posthorn, person)).length, 1, done.text)
}

const reason = installed ? false : 'POSTHORN_TEST_N8N names no n8n'
test('the nodes work in a real n8n', { skip: reason }, async (context) => {
  const built = await builtNodes()
  if (built.missing !== undefined) return context.skip(built.missing)
  context.after(built.remove)
  const staged = await stage(context, built.folder)
  await context.test('a text whose answer was lost is sent once by Retry On Fail', () => loseAnswer(staged))
  await context.test('a file of an item arrives as it is', () => sendFile(staged))
  await context.test('a message that comes in starts a workflow, a forged one does not', () =>
    receive(staged),
  )
  const sqlite = join(String(installed), 'node_modules/sqlite3/build/Release/node_sqlite3.node')
  const hasAgents = existsSync(sqlite) ? {} : { skip: 'agents need the SQLite of n8n, which was not built' }
  await context.test('an agent uses the node as a tool', hasAgents, (step) => useAsTool(staged, step))
})
