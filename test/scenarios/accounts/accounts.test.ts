import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ProblemError } from '../../../src/contract/client/client.ts'
import {
  createInstance,
  deleteInstance,
  stopInstance,
} from '../../../src/contract/operations/instance-operations.ts'
import { freePorts } from '../../kit/far-ends/free-ports.ts'
import type { CheckedClient } from '../../kit/http/checked-client.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* Two instances of one organization cannot use one account: each would end the connection of the other, for ever. */

let posthorn: Posthorn
/** A port without a listener: plays about accounts need no network. */
let service: string

before(async () => {
  posthorn = await startPosthorn()
  const [port] = await freePorts(1)
  service = `xmpp://127.0.0.1:${port}`
})

after(() => posthorn.stop())

function add(client: CheckedClient, name: string, address: string) {
  const settings = { address, service, allow_plaintext: true }
  return client.call(createInstance, {
    body: { name, network: 'xmpp', settings, credentials: { password: 'x' } },
  })
}

async function refusal(call: Promise<unknown>): Promise<readonly [code: string, detail: string]> {
  const error = await call.then(
    () => assert.fail('it was created'),
    (caught: unknown) => caught,
  )
  assert.ok(error instanceof ProblemError, String(error))
  return [error.code, error.problem.detail]
}

test('a second instance of an account is refused, however it is spelled, and told which one has it', async () => {
  await add(posthorn.admin, 'shop', 'Shop@Example.ORG')
  for (const spelling of ['shop@example.org', 'SHOP@example.org', 'shop@EXAMPLE.org']) {
    const [code, detail] = await refusal(add(posthorn.admin, 'second', spelling))
    assert.equal(code, 'account_in_use')
    assert.match(detail, /`shop`/)
  }
  await posthorn.admin.call(stopInstance, { params: { name: 'shop' } })
  const [code] = await refusal(add(posthorn.admin, 'second', 'shop@example.org'))
  assert.equal(code, 'account_in_use', 'a stopped one has it, too')
  await add(posthorn.admin, 'second', 'shop@example.com')
})

test('another organization may use it, and learns of nobody else', async () => {
  await posthorn.createOrganization('neighbour')
  const { key } = await posthorn.createKey('neighbour', 'admin')
  const neighbour = posthorn.client(key)
  await add(neighbour, 'theirs', 'shop@example.org')
  const [, detail] = await refusal(add(neighbour, 'again', 'shop@example.org'))
  assert.match(detail, /`theirs`/)
  assert.doesNotMatch(detail, /`shop`/)
})

test('of many that come at once, one gets it', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `rival-${index}`)
  const came = await Promise.allSettled(names.map((name) => add(posthorn.admin, name, 'prize@example.org')))
  const lost = came.flatMap((each) =>
    each.status === 'rejected' ? [(each.reason as ProblemError).code] : [],
  )
  assert.deepEqual(lost, Array(11).fill('account_in_use'))
})

test('an account is free again once its instance is gone', async () => {
  await add(posthorn.admin, 'brief', 'brief@example.org')
  await posthorn.admin.call(deleteInstance, { params: { name: 'brief' } })
  await add(posthorn.admin, 'successor', 'brief@example.org')
})

test('a network without accounts of its own takes as many as one likes', async () => {
  for (const name of ['one', 'two'])
    await posthorn.admin.call(createInstance, { body: { name, network: 'sandbox' } })
})
