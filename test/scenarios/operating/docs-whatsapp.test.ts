import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { reasons } from '../../../src/networks/whatsapp/codes.ts'
import { environmentFor, textIn } from '../../kit/networks/whatsapp/stage.ts'
import { eventually } from '../../kit/play.ts'
import { freshFolder, startPosthorn } from '../../kit/posthorn.ts'
import { commandsOn, Walker } from '../../kit/walk.ts'
import { startWhatsApp } from '../../simulators/whatsapp/start-whatsapp.ts'

const page = 'docs/whatsapp.md'
const shop = '4915112345678'
const ana = '4915187654321'
const invoice = Buffer.from('%PDF-1.7\nan invoice')

test('docs/whatsapp.md says what to do about every reason', () => {
  const text = readFileSync(new URL(`../../../${page}`, import.meta.url), 'utf8')
  const missing = Object.keys(reasons).filter((code) => !text.includes(`\`${code}\``))
  assert.deepEqual(missing, [])
})

/** A WhatsApp with Ana, a Posthorn that is to follow the page, and a person who types. */
async function stage(context: TestContext) {
  const whatsapp = await startWhatsApp(context)
  const { control } = whatsapp
  await control.createPerson({ phone: shop, name: 'Shop' })
  await control.createPerson({ phone: ana, name: 'Ana' })
  await control.change({ person: ana, reads: true })
  const folder = freshFolder()
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'invoice.pdf'), invoice)
  const posthorn = await startPosthorn({ data: join(folder, 'data'), environment: environmentFor(whatsapp) })
  context.after(() => posthorn.stop())
  // The play does not wait for the pace of people.
  const unpaced = '"network": "whatsapp", "settings": {"pacing": {"off": true}}'
  const walker = new Walker(posthorn, folder, { '"network": "whatsapp"': unpaced })
  return { control, folder, walker }
}

test('whoever follows docs/whatsapp.md has a linked account that talks', async (context) => {
  const { control, folder, walker } = await stage(context)
  const type = async (command: string) => JSON.parse(await walker.type(command))
  const [create = '', ...noMore] = commandsOn(page, '## 1. Create the instance')
  const [picture = '', status = '', ...others] = commandsOn(page, '## 2. Scan the picture')
  const [askForCode = ''] = commandsOn(page, '### A code instead of the picture')
  const [sendText = '', sendFile = '', received = ''] = commandsOn(page, '## 3. Send and receive')
  const [logOut = '', remove = ''] = commandsOn(page, '## 4. Log out')
  assert.deepEqual([...noMore, ...others], [])
  assert.equal(commandsOn(page).length, 9, 'a command that nobody types here')

  const becomes = (wanted: string) =>
    eventually(
      `the instance to be ${wanted}`,
      () => type(status),
      (read) => read.status === wanted,
    )
  const connected = () => becomes('connected')
  const created = await type(create)
  // On a busy machine, a worker starts for longer than the command waits.
  if (created.status === 'connecting') await becomes('awaiting_link')
  else assert.equal(created.status, 'awaiting_link')
  await walker.type(picture)
  await control.scan({ person: shop, qr: textIn(readFileSync(join(folder, 'qr.png'))) })
  assert.equal((await connected()).account.address, `+${shop}`)

  assert.ok((await type(sendText)).sent_at)
  assert.ok((await type(sendFile)).sent_at)
  const [first, second] = await control.received({ person: ana, count: 2 })
  assert.equal(first?.text, 'Your order is on its way.')
  assert.equal(second?.media?.fileName, 'invoice.pdf')
  await control.write({ from: ana, to: shop, text: 'Thank you!' })
  const [written] = await eventually(
    'what Ana wrote',
    async () => (await type(received)).data,
    ({ length }) => length > 0,
  )
  assert.equal(written.text, 'Thank you!')
  const reply = sendText.replace('+49 151 87654321', written.conversation)
  assert.notEqual(reply, sendText)
  assert.ok((await type(reply)).sent_at)

  assert.equal((await type(logOut)).status, 'logged_out')
  assert.deepEqual(await control.devices({ person: shop }), [])
  const { link } = await type(askForCode)
  assert.equal(link.kind, 'code')
  await control.enterCode({ person: shop, code: link.value })
  await connected()

  await walker.type(remove)
  await eventually(
    'the device to be removed on the phone',
    () => control.devices({ person: shop }),
    ({ length }) => length === 0,
  )
})
