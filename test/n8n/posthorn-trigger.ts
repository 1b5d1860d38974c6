import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { createInstance } from '../../src/contract/operations/instance-operations.ts'
import { deleteWebhook, listWebhooks, testWebhook } from '../../src/contract/operations/webhook-operations.ts'
import { eventTypes } from '../../src/contract/resources/event.ts'
import { eventually, text } from '../kit/play.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'
import { type BuiltNodes, builtNodes, nodesFolder, type WebhookResult } from './built-nodes.ts'
import { n8nFunctions } from './n8n-functions.ts'

let posthorn: Posthorn
let nodes: BuiltNodes
let remove: (() => void) | undefined
let missing: string | undefined

before(async () => {
  const built = await builtNodes()
  missing = built.missing
  if (built.missing !== undefined) return
  nodes = built.nodes
  remove = built.remove
  posthorn = await startPosthorn({ environment: { POSTHORN_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' } })
  await posthorn.admin.call(createInstance, { body: { name: 'shop', network: 'sandbox' }, waitSeconds: 20 })
})

after(async () => {
  await posthorn?.stop()
  remove?.()
})

/** Milliseconds that a delivery may take on a machine that does much else. */
const maxWait = 120_000

/** The trigger in a workflow: n8n stores its memory, and takes requests for it. */
class ActiveTrigger {
  parameters: Readonly<Record<string, unknown>> = { events: ['message.received'], instances: ['shop'] }
  readonly memory: Record<string, unknown> = {}
  /** The events that started the workflow, and the statuses of all answers. */
  readonly events: Record<string, unknown>[] = []
  readonly statuses: number[] = []
  readonly #server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { result, status } = await this.receive(Buffer.concat(chunks), request.headers)
    for (const { json } of result.workflowData?.[0] ?? []) this.events.push(json)
    this.statuses.push(status)
    response.writeHead(status).end()
  })

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return this
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/webhook/posthorn`
  }

  #functions() {
    const { memory, parameters, url } = this
    const run = { items: [parameters], memory, webhookUrl: url }
    return n8nFunctions(nodes, { url: posthorn.url, key: posthorn.adminKey, ...run })
  }

  /** Acts as n8n does when a workflow is activated. */
  async activate(): Promise<void> {
    const { checkExists, create } = new nodes.PosthornTrigger().webhookMethods.default
    if (!(await checkExists.call(this.#functions()))) await create.call(this.#functions())
  }

  deactivate(): Promise<boolean> {
    return new nodes.PosthornTrigger().webhookMethods.default.delete.call(this.#functions())
  }

  /** Takes a request as n8n does; the node may answer it itself. */
  async receive(rawBody: Buffer, headers: object): Promise<{ result: WebhookResult; status: number }> {
    let status = 200
    const answer = {
      status: (given: number) => {
        status = given
        return { json: () => {} }
      },
    }
    const result = await new nodes.PosthornTrigger().webhook.call({
      ...this.#functions(),
      getRequestObject: () => ({ rawBody, headers }),
      getResponseObject: () => answer,
    })
    assert.equal(result.noWebhookResponse === true, status !== 200)
    return { result, status }
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}

async function webhooks() {
  return (await posthorn.admin.call(listWebhooks)).body.data
}

test('a trigger registers itself, starts the workflow on its events, and removes itself', async (context) => {
  if (missing !== undefined) return context.skip(missing)
  const trigger = await new ActiveTrigger().listen()
  context.after(() => trigger.close())
  await trigger.activate()
  const [{ id, events, instances } = assert.fail('there is no webhook'), ...others] = await webhooks()
  assert.deepEqual([events, instances, others], [['message.received'], ['shop'], []])
  await text(posthorn.admin, { instance: 'shop', to: 'ana@replies.sandbox' })
  await eventually(
    'the event of the reply',
    async () => trigger.events,
    (came) => came.length > 0,
    maxWait,
  )
  assert.equal(trigger.events[0]?.type, 'message.received')

  // The event of a test is received, and starts nothing.
  await posthorn.admin.call(testWebhook, { params: { webhook: id } })
  await eventually(
    'the delivery of the test',
    async () => trigger.statuses,
    (came) => came.length > 1,
    maxWait,
  )
  assert.deepEqual(trigger.statuses, [200, 200])
  assert.equal(trigger.events.length, 1)

  await trigger.activate()
  assert.deepEqual(
    (await webhooks()).map((webhook) => webhook.id),
    [id],
    'what is registered stays',
  )
  trigger.parameters = { events: ['*'], instances: [] }
  await trigger.activate()
  const [changed, ...more] = await webhooks()
  assert.deepEqual([changed?.events, changed?.instances, more], [null, null, []])
  assert.notEqual(changed?.id, id)
  trigger.parameters = { events: ['*'], instances: [], options: { inOrder: true } }
  await trigger.activate()
  const [ordered, ...rest] = await webhooks()
  assert.deepEqual([ordered?.ordering, rest], ['per_instance', []])

  // Its memory was lost, for example because the workflow was imported anew.
  delete trigger.memory.webhookId
  await trigger.activate()
  assert.equal((await webhooks()).length, 1)

  assert.equal(await trigger.deactivate(), true)
  assert.deepEqual([await webhooks(), trigger.memory], [[], {}])
  await trigger.activate()
  const [last] = await webhooks()
  await posthorn.admin.call(deleteWebhook, { params: { webhook: last?.id ?? '' } })
  assert.equal(await trigger.deactivate(), true, 'also if it is gone')
})

test('a delivery that is forged, changed, old or without a signature is answered with 401', async (context) => {
  if (missing !== undefined) return context.skip(missing)
  const trigger = new ActiveTrigger()
  Object.defineProperty(trigger, 'url', { value: 'http://127.0.0.1:1/' })
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
  const body = JSON.stringify({ id: 'evt_1', type: 'message.received', data: { text: 'Olá' } })
  const headersOf = (content = body, by = secret, at = new Date()) => ({
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(by).sign('evt_1', at, content),
  })
  const statusOf = async (headers: object, content = body) =>
    (await trigger.receive(Buffer.from(content), headers)).status
  assert.equal(await statusOf(headersOf()), 401, 'before there is a secret')
  trigger.memory.secret = secret
  assert.equal(await statusOf(headersOf()), 200)
  const both = `${headersOf(body, other)['webhook-signature']} ${headersOf()['webhook-signature']}`
  assert.equal(await statusOf({ ...headersOf(), 'webhook-signature': both }), 200)
  const old = new Date(Date.now() - 6 * 60_000)
  const forged: readonly (readonly [headers: object, content?: string])[] = [
    [headersOf(), `${body} `],
    [headersOf(body, other)],
    [headersOf(body, secret, old)],
    [{ ...headersOf(), 'webhook-id': 'evt_2' }],
    [{ ...headersOf(), 'webhook-timestamp': 'now' }],
    [{ ...headersOf(), 'webhook-signature': 'v1,' }],
    [{ ...headersOf(), 'webhook-signature': `${'v1,AAAA '.repeat(20)}${headersOf()['webhook-signature']}` }],
    [{}],
  ]
  for (const [headers, content] of forged) assert.equal(await statusOf(headers, content), 401)
  const batch = JSON.stringify({ events: [JSON.parse(body), { type: 'message.sent' }] })
  const { result } = await trigger.receive(Buffer.from(batch), headersOf(batch))
  assert.deepEqual(
    result.workflowData?.[0]?.map(({ json }) => json.type),
    ['message.received'],
  )
})

test('the trigger offers every type of event that a webhook can be for', (context) => {
  if (missing !== undefined) return context.skip(missing)
  const { properties } = new nodes.PosthornTrigger().description
  const offered = properties.find(({ name }) => name === 'events')?.options.map(({ value }) => value)
  const wanted = eventTypes.filter((type) => type !== 'webhook.test')
  assert.deepEqual(offered?.toSorted(), ['*', ...wanted].toSorted())
})

test('the package has no runtime dependencies, and names files that it is built from', () => {
  const described = JSON.parse(readFileSync(join(nodesFolder, 'package.json'), 'utf8'))
  assert.equal(described.dependencies, undefined)
  assert.deepEqual(Object.keys(described.scripts), ['build', 'lint'], 'nothing runs when it is installed')
  for (const path of [...described.n8n.nodes, ...described.n8n.credentials] as string[])
    assert.ok(existsSync(join(nodesFolder, path.replace(/^dist\/(.*)\.js$/, '$1.ts'))), path)
})
