import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { eventually, everythingReceived } from '../../kit/play.ts'
import { freshFolder, startPosthorn } from '../../kit/posthorn.ts'
import { commandsOn, Walker } from '../../kit/walk.ts'
import {
  startWhatsAppCloud,
  type WhatsAppCloud,
} from '../../simulators/whatsapp-cloud/start-whatsapp-cloud.ts'

const phone = '4915112345678'
const verify_token = 'a-word-of-your-own'
const callback = '/v1/callbacks/whatsapp-cloud/cb_'
const invoice = Buffer.from('%PDF-1.7\nan invoice')

/** A Meta with Ada, a Posthorn that is to follow the page, and a person who types. */
async function stage(context: TestContext, settings: (cloud: WhatsAppCloud) => Record<string, string>) {
  const cloud = await startWhatsAppCloud()
  context.after(() => cloud.stop())
  const ada = await cloud.control('person', { phone, receives: 'read' })
  const folder = freshFolder()
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'invoice.pdf'), invoice)
  const posthorn = await startPosthorn({
    data: join(folder, 'data'),
    environment: {
      POSTHORN_WHATSAPP_CLOUD_API: cloud.url,
      POSTHORN_BASE_URL: 'https://posthorn.example',
      ...settings(cloud),
    },
  })
  context.after(() => posthorn.stop())
  const walker = new Walker(posthorn, folder, {
    'https://graph.facebook.com': cloud.url,
    '106540352242922': cloud.number,
    '102290129340398': cloud.waba,
    EAAexample: cloud.token,
    '0123456789abcdef0123456789abcdef': cloud.appSecret,
  })
  const type = async (command: string) => JSON.parse(await walker.type(command))
  return { cloud, ada, posthorn, walker, type }
}

/** Resolves once the newest message that was received is the tap on the button of the page. */
async function showsTheTap(read: () => Promise<{ kind: string; button_reply?: object }[]>): Promise<void> {
  const [tapped] = await eventually('the tap', read, ([newest]) => newest?.kind === 'button_reply')
  assert.deepEqual(tapped?.button_reply, { id: 'yes', title: 'Yes', payload: 'order-4711' })
}

/** Types the commands that make a group and show its link, by which a person joins. */
async function makesGroup(walker: Walker, block: string, join: (link: string) => Promise<{ id: string }>) {
  const [make = '', invite = ''] = block.split('\n\n')
  const group = (await walker.type(`${make}\necho $GROUP`)).trim()
  const { url } = JSON.parse(await walker.type(`GROUP=${group}\n${invite}`))
  assert.equal((await join(url)).id, group)
}

const commandsUnder = (heading: string) => commandsOn('docs/whatsapp-cloud.md', `## ${heading}`)

test('whoever follows docs/whatsapp-cloud.md has a number that talks', async (context) => {
  const { cloud, ada, posthorn, walker, type } = await stage(context, () => ({}))
  const [create = '', status = ''] = commandsUnder('2. The instance')
  const [subscribe = '', override = ''] = commandsUnder('3. The webhook')
  const [received = '', answer = '', sent = '', sendFile = '', ask = '', groups = ''] =
    commandsUnder('4. The first messages')
  const [list = '', fill = ''] = commandsUnder('5. Templates')
  const [replace = ''] = commandsUnder('If something is wrong')

  const instance = await type(create)
  assert.deepEqual([instance.status, instance.account.address], ['connected', '+15550001111'])
  assert.ok((await type(status)).last_verified_at)
  const shown = new URL(instance.callback_url)
  assert.equal(shown.origin, 'https://posthorn.example')
  const reachable = `${posthorn.url}${shown.pathname}`
  // As a person does on Meta's page.
  await cloud.control('app', { callback: reachable, verify_token })
  assert.deepEqual(await type(subscribe), { success: true })
  const own = override.replace(`https://posthorn.example${callback}…`, reachable)
  assert.notEqual(own, override)
  assert.deepEqual(await type(own), { success: true })

  await cloud.act(ada.user_id, { act: 'text', body: 'Are you open?' })
  const read = async (command: string) => (await type(command)).data
  const [written] = await eventually(
    'what Ada wrote',
    () => read(received),
    ({ length }) => length > 0,
  )
  assert.deepEqual([written.text, written.from], ['Are you open?', `+${phone}`])
  assert.ok((await type(answer)).sent_at)
  await eventually(
    'the answer to be read',
    () => read(sent),
    ([message]) => message?.status === 'read',
  )
  assert.ok((await type(sendFile)).sent_at)
  const { file, request } = (await cloud.control('taken', { at_least: 2 })).at(-1) ?? {}
  assert.equal(file?.sha256, createHash('sha256').update(invoice).digest('hex'))
  assert.equal(request?.document?.filename, 'invoice.pdf')

  const question = await type(ask)
  await cloud.act(ada.user_id, { act: 'tap', message_id: question.network_message_id, choice: 'yes' })
  await showsTheTap(() => read(received))

  await makesGroup(walker, groups, (link) => cloud.control('join', { person: ada.user_id, link }))
  const components = [{ type: 'BODY', text: 'Hello {{1}}, your order {{2}} is on its way.' }]
  await cloud.control('template', { name: 'order_update', components })
  const [{ name, status: state }] = (await type(list)).data
  assert.deepEqual([name, state], ['order_update', 'approved'])
  assert.ok((await type(fill)).sent_at)
  const filled = (await cloud.control('taken', { at_least: 4 })).at(-1)?.request.template
  assert.deepEqual([filled?.name, filled?.components?.[0]?.parameters?.length], ['order_update', 2])

  await cloud.control('token', { token: cloud.token, wabas: [cloud.waba], state: 'revoked' })
  await cloud.control('token', { token: 'EAAanother', wabas: [cloud.waba], state: 'valid' })
  assert.equal((await type(replace)).status, 'connected')
  assert.ok((await type(answer)).sent_at)
})

test('whoever lets businesses use one app has one URL for all of them', async (context) => {
  const { cloud, ada, posthorn, type } = await stage(context, ({ appSecret }) => ({
    POSTHORN_WHATSAPP_CLOUD_APP_SECRET: appSecret,
    POSTHORN_WHATSAPP_CLOUD_VERIFY_TOKEN: verify_token,
  }))
  const [create = ''] = commandsUnder('6. One app for several businesses')
  const instance = await type(create)
  assert.equal(instance.status, 'connected')
  const reachable = `${posthorn.url}${new URL(instance.callback_url).pathname}`
  await cloud.control('app', { callback: reachable, verify_token })
  const [subscribe = ''] = commandsUnder('3. The webhook')
  assert.deepEqual(await type(subscribe), { success: true })
  await cloud.act(ada.user_id, { act: 'text', body: 'Two loaves, please' })
  const [written] = await eventually(
    'what Ada wrote',
    () => everythingReceived(posthorn.admin, 'bakery'),
    ({ length }) => length > 0,
  )
  assert.equal(written?.text, 'Two loaves, please')
})
