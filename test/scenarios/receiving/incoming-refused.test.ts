import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createInstance } from '../../../src/contract/operations/instance-operations.ts'
import type { Message } from '../../../src/contract/resources/message.ts'
import type { CheckedClient } from '../../kit/http/checked-client.ts'
import { allEvents } from '../../kit/http/feed.ts'
import { XmppPerson } from '../../kit/networks/xmpp/person.ts'
import { needsProsody, type Prosody, startProsody } from '../../kit/networks/xmpp/prosody.ts'
import { eventually, everythingReceived } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

const wordsOf = (message: Message) => ('text' in message ? message.text : '')

/* A flood through a server without an archive: a message without room goes back to its sender. */

const limit = 20
const flood = 300

describe('a stranger floods an account whose server keeps no archive', needsProsody, () => {
  let prosody: Prosody
  let posthorn: Posthorn
  let neighbour: CheckedClient
  let unknownSender: XmppPerson

  before(async () => {
    prosody = await startProsody({ starttls: 'off' })
    posthorn = await startPosthorn({ environment: { POSTHORN_INCOMING_LIMIT: String(limit) } })
    await posthorn.createOrganization('neighbour')
    neighbour = posthorn.client((await posthorn.createKey('neighbour', 'admin')).key)
    unknownSender = await XmppPerson.join(prosody, 'stranger')
    const service = `xmpp://127.0.0.1:${prosody.port}`
    for (const [client, name] of [
      [posthorn.admin, 'shop'],
      [neighbour, 'desk'],
    ] as const) {
      await prosody.createUser(name, 'a password')
      const settings = { address: prosody.address(name), service, allow_plaintext: true }
      const body = { name, network: 'xmpp', settings, credentials: { password: 'a password' } }
      await client.call(createInstance, { body, waitSeconds: 20 })
    }
  })
  after(async () => {
    await posthorn?.stop()
    await unknownSender?.leave()
    await prosody?.remove()
  })

  test('every message is kept or given back, and the owner is told once', async () => {
    for (let index = 0; index < flood; index++)
      await unknownSender.says(prosody.address('shop'), `Buy now, offer ${index}`, `flood-${index}`)
    const returned = await eventually(
      'what there is no room for to be given back',
      async () => new Map(unknownSender.returns),
      ({ size }) => size >= flood - limit,
    )
    const kept = await everythingReceived(posthorn.admin, 'shop')
    assert.equal(kept.length, limit)
    const ids = [...kept.map((message) => `flood-${wordsOf(message).split(' ').at(-1)}`), ...returned.keys()]
    assert.equal(new Set(ids).size, flood)
    assert.deepEqual([...new Set(returned.values())], ['resource-constraint'])
    const exceeded = await allEvents(posthorn.admin, { types: ['quota.exceeded'] })
    assert.equal(exceeded.length, 1)
  })

  test('another organization gets what is written to it', async () => {
    await unknownSender.says(prosody.address('desk'), 'Good morning', 'greeting')
    await eventually(
      'the greeting',
      () => everythingReceived(neighbour, 'desk'),
      ([message]) => message !== undefined && wordsOf(message) === 'Good morning',
    )
  })
})
