import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { create, eventually, everythingListed, everythingReceived, text } from '../kit/play.ts'
import { freshFolder, type Posthorn, startPosthorn } from '../kit/posthorn.ts'
import { commandsOn, Walker } from '../kit/walk.ts'

/* A person who reads docs/conversations.md types what stands there. */

const folder = freshFolder()
let posthorn: Posthorn
let walker: Walker

before(async () => {
  posthorn = await startPosthorn({ data: join(folder, 'data') })
  walker = new Walker(posthorn, folder, {})
  await create(posthorn.admin, 'trial')
})

after(async () => {
  await posthorn.stop()
  rmSync(folder, { recursive: true, force: true })
})

const commandsUnder = (heading: string) =>
  commandsOn('docs/conversations.md', heading).flatMap((block) => block.split('\n\n'))

test('what follows a message is accepted and reaches its recipient', async () => {
  const [send = '', ...following] = commandsUnder('## Reply, react, edit and retract')
  const about = (await walker.type(`${send}\necho $ID`)).trim()
  assert.match(about, /^msg_/)
  assert.equal(following.length, 4)
  for (const command of following) {
    const { id, relation } = JSON.parse(await walker.type(`ID=${about}\n${command}`))
    assert.equal(relation.message_id, about)
    await eventually(
      'it to be delivered',
      async () =>
        (await everythingListed(posthorn.admin, { instance: 'trial' })).find((one) => one.id === id),
      (message) => message?.status === 'delivered' || message?.status === 'read',
    )
  }
})

test('a place, people, buttons and a poll are accepted, and what was chosen comes back', async () => {
  const kinds: string[] = []
  for (const command of commandsUnder('## Places, people, buttons and polls'))
    kinds.push(JSON.parse(await walker.type(command)).kind)
  assert.deepEqual(kinds, ['location', 'contacts', 'interactive', 'poll'])
  const received = await eventually(
    'both answers',
    () => everythingReceived(posthorn.admin, 'trial'),
    (messages) => messages.length >= 2,
  )
  assert.deepEqual(received.map(({ kind }) => kind).toSorted(), ['button_reply', 'poll_vote'])
  assert.equal(received.find(({ button_reply }) => button_reply)?.button_reply?.payload, 'slot-7')
})

test('a stream shows who is writing', async () => {
  const [follow = ''] = commandsUnder('## See who is writing')
  let isOver = false
  const shown = walker.type(`timeout 8 ${follow.trim()} || true`).finally(() => {
    isOver = true
  })
  // Those who begin to write before the stream is open are not on it.
  for (let at = 0; !isOver; at++) {
    await text(posthorn.admin, { instance: 'trial', to: 'ana@types.sandbox', text: `number ${at}` }, 10)
    await eventually(
      'the answer to it',
      () => everythingReceived(posthorn.admin, 'trial'),
      (messages) => messages.some((message) => message.text === `number ${at}`),
    )
  }
  assert.match(await shown, /event: conversation\.typing\ndata: .*"state":"typing"/)
})

test('the picture of a person is there', async () => {
  const [get = ''] = commandsUnder('## People')
  await walker.type(get)
  assert.equal(readFileSync(join(folder, 'picture.png')).subarray(1, 4).toString(), 'PNG')
})
