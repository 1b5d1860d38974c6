import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import {
  createInstance,
  startInstance,
  stopInstance,
} from '../../../src/contract/operations/instance-operations.ts'
import type { MessageEventData } from '../../../src/contract/resources/event.ts'
import { keepCopy, putBack } from '../../kit/database.ts'
import { allEvents } from '../../kit/http/feed.ts'
import { XmppPerson } from '../../kit/networks/xmpp/person.ts'
import { needsProsody, type Prosody, startProsody } from '../../kit/networks/xmpp/prosody.ts'
import { eventually, everythingReceived, reaches, text } from '../../kit/play.ts'
import { freshFolder, type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* A store goes back to a copy while a real XMPP server keeps what was said since: its archive brings back what was lost. */

describe('a store that went back, beside an XMPP server with an archive', needsProsody, () => {
  const instance = 'support'
  const data = freshFolder()
  const params = { name: instance }
  let prosody: Prosody
  let posthorn: Posthorn
  let ana: XmppPerson

  before(async () => {
    prosody = await startProsody({ starttls: 'off', archive: true })
    await prosody.createUser(instance, 'a password')
    ana = await XmppPerson.join(prosody, 'ana')
  })
  after(async () => {
    await posthorn?.stop()
    await ana?.leave()
    await prosody?.remove()
    for (const path of [data, `${data}.copy`]) rmSync(path, { recursive: true, force: true })
  })

  const start = async () => {
    posthorn = await startPosthorn({ data })
  }
  const received = async () =>
    (await everythingReceived(posthorn.admin, instance)).map((message) => message.text)
  const receives = (count: number) => eventually('the messages', received, ({ length }) => length >= count)
  const asks = (...questions: string[]) =>
    Promise.all(questions.map((words) => ana.says(prosody.address(instance), words, `ana-${words}`)))

  test('gets each message of since once, in order, and finds what it had sent itself', async () => {
    await start()
    const settings = {
      address: prosody.address(instance),
      service: `xmpp://127.0.0.1:${prosody.port}`,
      allow_plaintext: true,
    }
    const body = { ...params, network: 'xmpp', settings, credentials: { password: 'a password' } }
    await posthorn.admin.call(createInstance, { body, waitSeconds: 20 })
    await asks('one', 'two')
    await receives(2)
    await posthorn.admin.call(stopInstance, { params, waitSeconds: 10 })
    const answer = await text(posthorn.admin, { instance, to: ana.address, text: 'answer' })
    await posthorn.stop()
    await keepCopy(data)

    await start()
    await posthorn.admin.call(startInstance, { params, waitSeconds: 20 })
    await reaches(posthorn.admin, answer.id, 'delivered')
    await asks('three', 'four')
    await receives(4)
    await posthorn.stop()
    await asks('five')
    await putBack(data)

    await start()
    assert.deepEqual(await received(), ['one', 'two'])
    await posthorn.admin.call(startInstance, { params, waitSeconds: 20 })
    await asks('six')
    assert.deepEqual(await receives(6), ['one', 'two', 'three', 'four', 'five', 'six'])
    const inEvents = (await allEvents(posthorn.admin, { types: ['message.received'] })).map(
      ({ data, epoch }) => ({
        words: (data as MessageEventData).message.text,
        epoch,
      }),
    )
    assert.deepEqual(
      inEvents.map(({ words }) => words),
      ['one', 'two', 'three', 'four', 'five', 'six'],
    )
    assert.equal(inEvents[0]?.epoch, inEvents[1]?.epoch)
    assert.ok(
      inEvents.slice(2).every(({ epoch }) => epoch !== inEvents[0]?.epoch && epoch === inEvents[2]?.epoch),
    )
    // Its archive shows the held message: there is nothing to decide about it, and the message after it is free to go.
    const { attempts, error } = await reaches(posthorn.admin, answer.id, 'delivered')
    assert.deepEqual([attempts, error], [0, null])
    const later = await text(posthorn.admin, { instance, to: ana.address, text: 'later' })
    await reaches(posthorn.admin, later.id, 'delivered')
    assert.deepEqual(
      ana.arrivals.map(({ body }) => body),
      ['answer', 'later'],
    )
  })
})
