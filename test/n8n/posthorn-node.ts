import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { after, before, type TestContext, test } from 'node:test'
import { listConversations } from '../../src/contract/operations/conversation-operations.ts'
import { createInstance } from '../../src/contract/operations/instance-operations.ts'
import { getMessageMedia, listMessages } from '../../src/contract/operations/message-operations.ts'
import { eventually, everythingReceived } from '../kit/play.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'
import { type BuiltNodes, builtNodes, type NodeResult } from './built-nodes.ts'
import { type NodeRun, n8nFunctions, resolved } from './n8n-functions.ts'

let posthorn: Posthorn
let nodes: BuiltNodes
let remove: (() => void) | undefined
let missing: string | undefined
let web: Server

before(async () => {
  const built = await builtNodes()
  missing = built.missing
  if (built.missing !== undefined) return
  nodes = built.nodes
  remove = built.remove
  web = createServer((_request, response) => response.end('%PDF-1.7\nan invoice'))
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
  posthorn = await startPosthorn({ environment: { POSTHORN_FETCH_ALLOW_CIDRS: '127.0.0.0/8' } })
  await posthorn.admin.call(createInstance, { body: { name: 'shop', network: 'sandbox' }, waitSeconds: 20 })
})

after(async () => {
  await posthorn?.stop()
  web?.close()
  remove?.()
})

type Item = Readonly<Record<string, unknown>>

/** Runs the node as n8n does, for these items. */
async function execute(items: readonly Item[], run: Partial<NodeRun> = {}): Promise<readonly NodeResult[]> {
  const functions = n8nFunctions(nodes, { url: posthorn.url, key: posthorn.adminKey, items, ...run })
  const [results = []] = await new nodes.Posthorn().execute.call(functions)
  return results
}

/** Plays with the node, unless n8n could not be installed. */
function play(name: string, steps: (context: TestContext) => Promise<void>): void {
  test(name, async (context) => {
    if (missing !== undefined) return context.skip(missing)
    await steps(context)
  })
}

const textTo = (to: string, more: Item = {}): Item => ({
  ...{ resource: 'message', operation: 'sendText', instance: 'shop', to, text: 'Good morning' },
  ...more,
})
const message = (operation: string, more: Item): Item => ({ resource: 'message', operation, ...more })
const group = (operation: string, more: Item = {}): Item => ({
  ...{ resource: 'group', operation, instance: 'shop' },
  ...more,
})
const instance = (operation: string, more: Item = {}): Item => ({ resource: 'instance', operation, ...more })

async function sentTo(to: string): Promise<number> {
  return (await posthorn.admin.call(listMessages, { query: { to } })).body.data.length
}

play('a text is sent for each item, and once for each try of the same run', async () => {
  const items = [textTo('ana@reads.sandbox', { options: { wait: 20 } }), textTo('bo@accepts.sandbox')]
  const [ana, bo] = await execute(items)
  assert.match(String(ana?.json.status), /^(sent|delivered|read)$/)
  assert.deepEqual([ana?.pairedItem, bo?.pairedItem], [{ item: 0 }, { item: 1 }])
  const again = await execute(items)
  assert.deepEqual(
    again.map(({ json }) => json.id),
    [ana?.json.id, bo?.json.id],
  )
  assert.equal(await sentTo('bo@accepts.sandbox'), 1)
  await execute(items, { executionId: '2' })
  await execute(items, { runIndex: 1 })
  await execute(items, { instanceId: 'instance-2' })
  assert.equal(await sentTo('bo@accepts.sandbox'), 4)
  const own = [textTo('cy@accepts.sandbox', { options: { idempotencyKey: 'order-4711' } })]
  await execute(own)
  await execute(own, { executionId: '3' })
  assert.equal(await sentTo('cy@accepts.sandbox'), 1)
})

play('a text whose answer was lost is sent once, by a node that is tried again', async (context) => {
  let isCut = true
  const lossy = createTcpServer((client) => {
    const server = connect(Number(new URL(posthorn.url).port), '127.0.0.1')
    for (const socket of [client, server]) socket.on('error', () => {})
    client.pipe(server)
    server.on('data', (data) => {
      if (!isCut) return client.write(data)
      isCut = false
      client.destroy()
      return server.destroy()
    })
  })
  await new Promise<void>((resolve) => lossy.listen(0, '127.0.0.1', resolve))
  context.after(() => lossy.close())
  const url = `http://127.0.0.1:${(lossy.address() as AddressInfo).port}/`
  const items = [textTo('di@accepts.sandbox')]
  await assert.rejects(execute(items, { url, executionId: '4' }), {
    name: 'NodeApiError',
    message: 'Posthorn cannot be reached',
  })
  const [sent] = await execute(items, { url, executionId: '4' })
  assert.match(String(sent?.json.id), /^msg_/)
  assert.equal(await sentTo('di@accepts.sandbox'), 1)
})

play(
  'places, contacts, buttons and polls are sent, and a message is answered, reacted to, edited and retracted',
  async () => {
    const to = 'fay@reads.sandbox'
    const one = async (operation: string, more: Item): Promise<Item> => {
      const [result] = await execute([message(operation, { instance: 'shop', to, ...more })], {
        executionId: `contents-${operation}`,
      })
      return result?.json ?? assert.fail()
    }
    const wait = { options: { wait: 20 } }
    const place = await one('sendLocation', { latitude: -23.5614, longitude: -46.6559, ...wait })
    assert.deepEqual(place.location, { latitude: -23.5614, longitude: -46.6559, name: null, address: null })
    const contact = await one('sendContact', {
      contactName: 'Dr. Lima',
      phones: '+55 11 98765-4321, +55 11 1',
      emails: '',
    })
    assert.deepEqual(contact.contacts, [
      { name: 'Dr. Lima', phones: ['+55 11 98765-4321', '+55 11 1'], emails: [], company: null },
    ])
    const [yes, no] = [
      { id: '1', title: 'Yes' },
      { id: 'no', title: 'No' },
    ]
    const buttons = { button: [{ ...yes, id: '' }, no] }
    const asked = (await one('sendButtons', { body: 'Tomorrow?', buttons })).interactive as Item
    assert.deepEqual(asked.buttons, [yes, no])
    const days = { body: 'When?', listButton: 'Choose', rows: 'Monday, Tuesday' }
    const { list } = (await one('sendList', days)).interactive as {
      list: { button: string; sections: Item[] }
    }
    const rows = ['Monday', 'Tuesday'].map((title, at) => ({ id: String(at + 1), title }))
    assert.deepEqual(list, { button: 'Choose', sections: [{ rows }] })
    const values = { value: [{ text: 'Fay' }, { text: '4711' }] }
    const update = { template: 'order_update', language: 'en_US', values, ...wait }
    assert.match(String((await one('sendTemplate', update)).status), /sent|delivered|read/)
    await assert.rejects(one('sendTemplate', { ...update, components: '{}' }), /no JSON array/)
    const poll = (await one('sendPoll', { question: 'When?', answers: 'Monday, Tuesday' })).poll as Item
    assert.deepEqual(poll.options, ['Monday', 'Tuesday'])
    const reply = await one('sendText', { text: 'There', options: { wait: 20, replyTo: String(place.id) } })
    assert.equal((reply.relation as Item).message_id, place.id)
    const messageId = String(reply.id)
    assert.equal((await one('react', { messageId, emoji: '👍' })).kind, 'reaction')
    assert.equal((await one('edit', { messageId, text: 'Here', ...wait })).text, 'Here')
    assert.equal((await one('retract', { messageId })).kind, 'retraction')
  },
)

play('a text goes into a topic and mentions people, and what is answered is marked as read', async () => {
  const options = { topic: '42', mentions: 'ana@delivers.sandbox, bo@delivers.sandbox', wait: 20 }
  const text = '@ana and @bo, it is here'
  const [sent] = await execute([textTo('team@group.sandbox', { text, options })], { executionId: 'topic' })
  assert.deepEqual(sent?.json.topic, { id: '42', name: null })
  assert.deepEqual(sent?.json.mentions, ['ana@delivers.sandbox', 'bo@delivers.sandbox'])
  const picked = { options: { mentions: ['ana@delivers.sandbox'] }, text: '@ana' }
  const [fromList] = await execute([textTo('team@group.sandbox', picked)], { executionId: 'listed' })
  assert.deepEqual(fromList?.json.mentions, ['ana@delivers.sandbox'])
  await execute([textTo('gil@replies.sandbox')], { executionId: 'echo' })
  const received = () => everythingReceived(posthorn.admin, 'shop')
  const [answer] = await eventually('an answer', received, ({ length }) => length > 0)
  const messageId = answer?.id
  const unread = async () => {
    const query = { instance: 'shop', unread: true } as const
    return (await posthorn.admin.call(listConversations, { query })).body.data.length
  }
  assert.equal(await unread(), 1)
  const [read] = await execute([message('markRead', { messageId })])
  assert.deepEqual([read?.json, await unread()], [{ read: true }, 0])
})

play('files are sent from an item and from a URL', async () => {
  const bytes = Buffer.from('%PDF-1.7\nan invoice')
  const file = { fileName: 'Größe "A".pdf', mimeType: 'application/pdf', bytes }
  const fields = { instance: 'shop', to: 'ed@accepts.sandbox', kind: 'document' }
  const fromItem = message('sendFile', {
    ...fields,
    to: 'team@group.sandbox',
    source: 'binary',
    binaryPropertyName: 'data',
    fileOptions: { caption: 'Your invoice, @ed' },
    options: {
      metadata: { label: [{ name: 'order', value: '4711' }] },
      clientRef: 'invoice',
      mentions: 'ed@accepts.sandbox',
    },
  })
  const fromUrl = message('sendFile', {
    ...fields,
    source: 'url',
    url: `http://127.0.0.1:${(web.address() as AddressInfo).port}/invoice.pdf`,
    options: { wait: 20 },
  })
  const [uploaded, fetched] = await execute([fromItem, fromUrl], { files: { data: file }, executionId: '5' })
  const { media, metadata, client_ref, mentions, id } = uploaded?.json ?? {}
  assert.match((media as { filename: string }).filename, /^Größe .A.\.pdf$/)
  assert.deepEqual([metadata, client_ref], [{ order: '4711' }, 'invoice'])
  assert.deepEqual(mentions, ['ed@accepts.sandbox'])
  const stored = await posthorn.admin.call(getMessageMedia, { params: { id: String(id) } })
  assert.deepEqual(Buffer.from(stored.bytes ?? []), bytes)
  assert.equal(fetched?.json.status, 'sent')
  const [downloaded] = await execute([message('getFile', { messageId: id })])
  const { data = '', fileName } = downloaded?.binary?.data ?? {}
  assert.deepEqual(Buffer.from(data, 'base64'), bytes)
  assert.deepEqual([downloaded?.json.id, fileName], [id, (media as { filename: string }).filename])
  const picture = { resource: 'conversation', operation: 'getPicture', instance: 'shop' }
  const [shown] = await execute([{ ...picture, conversation: 'ana@replies.sandbox' }])
  assert.equal(shown?.binary?.data.fileName, 'picture.png')
  await assert.rejects(execute([{ ...picture, conversation: '..' }]), /the address of a person or a group/)
})

play('messages are read, listed and canceled', async () => {
  const sendAt = new Date(Date.now() + 3_600_000).toISOString()
  const [waiting] = await execute([textTo('flo@accepts.sandbox', { options: { sendAt } })], {
    executionId: '6',
  })
  const messageId = waiting?.json.id
  assert.equal(Date.parse(String(waiting?.json.send_at)), Date.parse(sendAt))
  const [read] = await execute([message('get', { messageId })])
  assert.equal(read?.json.id, messageId)
  const filters = { instance: 'shop', direction: 'outbound', status: '' }
  const listed = await execute([message('getAll', { returnAll: true, filters })])
  assert.ok(listed.length >= 5)
  assert.equal((await execute([message('getAll', { limit: 2, filters })])).length, 2)
  const [canceled] = await execute([message('cancel', { messageId })])
  assert.equal(canceled?.json.status, 'canceled')
  await assert.rejects(execute([message('get', { messageId: '../instances' })]), /begins with msg_/)
})

play('addresses are checked, with an item for each, and so are templates listed', async () => {
  const templates = await execute([instance('getTemplates', { instance: 'shop', returnAll: true })])
  assert.ok(templates.some(({ json }) => json.name === 'order_update' && json.language === 'de'))
  const addresses = 'ana@delivers.sandbox, ana@unknown.sandbox'
  const checked = await execute([instance('checkAddresses', { instance: 'shop', addresses })])
  assert.deepEqual(
    checked.map(({ json, pairedItem }) => [json.input, json.exists, pairedItem.item]),
    [
      ['ana@delivers.sandbox', 'yes', 0],
      ['ana@unknown.sandbox', 'no', 0],
    ],
  )
})

/** Runs one operation on one item, and returns the results without what n8n keeps beside them. */
async function resultsOf(item: Item, run: Partial<NodeRun> = {}): Promise<readonly Item[]> {
  return (await execute([item], run)).map(({ json }) => json)
}

play('conversations are listed, and marked as read as a whole', async () => {
  await execute([textTo('hal@replies.sandbox'), textTo('hal@replies.sandbox')], { executionId: 'unread' })
  const unread = (kind: string) =>
    resultsOf({
      ...{ resource: 'conversation', operation: 'getAll', returnAll: true },
      filters: { instance: 'shop', unread: true, search: 'hal@', kind },
    })
  const [conversation] = await eventually(
    'two replies',
    () => unread('person'),
    ([one]) => one?.unread === 2,
  )
  assert.equal(conversation?.conversation, 'hal@replies.sandbox')
  assert.deepEqual(await unread('group'), [])
  const marking = { resource: 'conversation', operation: 'markRead', instance: 'shop' }
  const mark = (address: string) => resultsOf({ ...marking, conversation: address })
  assert.deepEqual(await mark('hal@replies.sandbox'), [{ read: true, receipt_sent: true }])
  assert.deepEqual(await unread('person'), [])
  assert.deepEqual(await mark('silent@accepts.sandbox'), [{ read: true, receipt_sent: false }])
})

play('a group is made once for a run, changed, read, listed and left', async () => {
  const subject = 'Harvest'
  const item = group('create', { subject, members: 'ana@delivers.sandbox', groupOptions: { approval: true } })
  const run = { executionId: 'group' }
  const [created, again] = [await resultsOf(item, run), await resultsOf(item, run)].flat()
  assert.deepEqual(again, created)
  const address = String(created?.address)
  const one = async (operation: string, more: Item = {}) =>
    (await resultsOf(group(operation, { group: address, ...more }), run)).map(
      (result) => result.result ?? result,
    )
  const people = { members: 'bo@delivers.sandbox, cy@delivers.sandbox' }
  assert.deepEqual(await one('addMembers', people), ['done', 'done'])
  assert.deepEqual(await one('promoteMembers', { members: 'cy@delivers.sandbox' }), ['done'])
  assert.deepEqual(await one('removeMembers', { members: ['bo@delivers.sandbox'] }), ['done'])
  assert.deepEqual(await one('rename', { subject: 'Vintage' }), [{ renamed: true }])
  assert.deepEqual(await one('describe', { description: 'Until October.' }), [{ described: true }])
  const [shown = {}] = (await one('get')) as Item[]
  assert.deepEqual([shown.subject, shown.description, shown.approval], ['Vintage', 'Until October.', true])
  const roles = (shown.members as Item[]).map((member) => [member.address, member.role])
  assert.ok(roles.some(([member, role]) => member === 'cy@delivers.sandbox' && role === 'admin'))
  assert.ok(!roles.some(([member]) => member === 'bo@delivers.sandbox'))
  assert.deepEqual(await one('demoteMembers', { members: 'cy@delivers.sandbox' }), ['done'])
  const [link, renewed] = [
    ...(await one('getInviteLink')),
    ...(await one('getInviteLink', { renew: true })),
  ] as Item[]
  assert.match(String(link?.url), /^https:/)
  assert.notEqual(renewed?.url, link?.url)
  const asking = ['di', 'ed'].map((person) => `${person}@delivers.sandbox`)
  const ask = asking.map((person) => textTo(address, { text: `/ask ${person}`, options: { wait: 20 } }))
  await execute(ask, { executionId: 'ask' })
  const requests = () => resultsOf(group('getRequests', { group: address, returnAll: true }))
  await eventually('both requests', requests, ({ length }) => length === 2)
  assert.deepEqual(await one('approveRequests', { members: asking[0] }), ['done'])
  assert.deepEqual(await one('declineRequests', { members: asking[1] }), ['done'])
  const mine = () => resultsOf(group('getAll', { returnAll: true }))
  assert.ok((await mine()).some((listed) => listed.address === address))
  assert.deepEqual(await one('leave'), [{ left: true }])
  assert.ok(!(await mine()).some((listed) => listed.address === address))
  const [joined] = await resultsOf(group('join', { invitation: renewed?.url }))
  assert.equal(joined?.address, address)
  for (const wrong of ['', '..', ' '])
    await assert.rejects(resultsOf(group('get', { group: wrong })), /the address of a group/)
})

play('instances are created, shown, listed and deleted', async () => {
  const settings = '{"link": "qr"}'
  const [created] = await execute([instance('create', { name: 'phone', network: 'sandbox', settings })])
  assert.equal(created?.json.status, 'awaiting_link')
  const [shown] = await execute([instance('get', { instance: 'phone' })])
  assert.equal(shown?.json.name, 'phone')
  const [status] = await execute([instance('getStatus', { instance: 'phone' })])
  assert.equal(status?.json.action, 'link')
  assert.ok(!('link' in (status?.json ?? {})), 'the code is a secret, and executions are stored')
  const names = await execute([instance('getAll', { returnAll: true })])
  assert.deepEqual(
    names.map(({ json }) => json.name),
    ['phone', 'shop'],
  )
  const functions = n8nFunctions(nodes, { url: posthorn.url, key: posthorn.adminKey, items: [] })
  const choices = await new nodes.Posthorn().methods.loadOptions.getInstances?.call(functions)
  assert.deepEqual(choices?.[1], { name: 'shop (sandbox, connected)', value: 'shop' })
  const [deleted] = await execute([instance('delete', { instance: 'phone' })])
  const [again] = await execute([instance('delete', { instance: 'phone' })])
  assert.deepEqual([deleted?.json, again?.json], [{ deleted: true }, { deleted: true }])
  await assert.rejects(execute([instance('create', { name: 'x', settings: '[1]' })]), /no JSON object/)
})

play('a refusal has the words of the server, and stops the workflow unless it is to continue', async () => {
  const items = [textTo('nowhere'), textTo('ana@reads.sandbox')]
  await assert.rejects(execute(items, { executionId: '7' }), (error: Error & { description: string }) => {
    assert.equal(error.name, 'NodeApiError')
    assert.match(error.message, /\(invalid_request\)$/)
    assert.match(error.description, /\/to: /)
    return true
  })
  const [failed, sent] = await execute(items, { executionId: '7', continueOnFail: true })
  assert.match(String(failed?.json.error), /\(invalid_request\)$/)
  assert.equal(failed?.error?.name, 'NodeApiError')
  assert.match(String(sent?.json.id), /^msg_/)
  await assert.rejects(execute(items, { key: `phk_${'0'.repeat(59)}` }), /\(unauthenticated\)/)
})

play('a server that is no Posthorn is called so, and is not followed with the key', async (context) => {
  const asked: (string | undefined)[] = []
  const other = createServer((request, response) => {
    asked.push(request.headers.authorization)
    response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end('<html>')
  })
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  context.after(() => {
    other.close()
    other.closeAllConnections()
  })
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  await assert.rejects(execute([textTo('ana@reads.sandbox')], { url }), /answered 307, and not as Posthorn/)
  assert.deepEqual(asked, [`Bearer ${posthorn.adminKey}`])
})

play('the test of the credentials tells a key that is valid from one that is not', async () => {
  const { authenticate, test: tested } = new nodes.PosthornApi()
  const statusWith = async (apiKey: string) => {
    const credentials = { url: posthorn.url, apiKey }
    const headers = Object.entries(authenticate.properties.headers)
    const { baseURL, url } = tested.request
    const response = await fetch(resolved(baseURL, credentials) + url, {
      headers: headers.map(([name, value]) => [name, resolved(value, credentials)]),
    })
    return response.status
  }
  assert.deepEqual([await statusWith(posthorn.adminKey), await statusWith('phk_none')], [200, 401])
})
