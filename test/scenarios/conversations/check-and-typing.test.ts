import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  checkAddresses,
  createInstance,
  showTyping,
  stopInstance,
} from '../../../src/contract/operations/instance-operations.ts'
import type { TranscriptLine } from '../../../src/networks/sandbox/people/far-end.ts'
import { problemOf } from '../../kit/http/problem-of.ts'
import { create, eventually, startObserved } from '../../kit/play.ts'
import type { Posthorn } from '../../kit/posthorn.ts'

describe('checking addresses, and showing that one writes', { timeout: 60_000 }, () => {
  let posthorn: Posthorn
  let transcript: () => TranscriptLine[]
  const params = { name: 'trial' }
  const check = async (...addresses: string[]) =>
    (await posthorn.admin.call(checkAddresses, { params, body: { addresses } })).body.data
  const type = (to: string, name = 'trial') =>
    posthorn.admin.call(showTyping, { params: { name }, body: { to, seconds: 5 } })
  const typings = () => transcript().filter(({ kind }) => kind === 'typing')

  before(async () => {
    const observed = await startObserved()
    posthorn = observed.posthorn
    transcript = observed.transcript
    await create(posthorn.admin, 'trial')
  })
  after(() => posthorn.stop())

  test('each address gets its answer, in order, also twice and if it is none', async () => {
    const found = await check(
      'Ana@delivers.sandbox',
      'bo@unknown.sandbox',
      'not an address',
      'cy@stuck.sandbox',
      'ana@delivers.sandbox',
      'dan@two-addresses.sandbox',
    )
    assert.deepEqual(
      found.map(({ address, exists }) => [address, exists]),
      [
        ['ana@delivers.sandbox', 'yes'],
        ['bo@unknown.sandbox', 'no'],
        [null, 'unknown'],
        ['cy@stuck.sandbox', 'unknown'],
        ['ana@delivers.sandbox', 'yes'],
        ['dan@other-address.sandbox', 'yes'],
      ],
    )
    assert.deepEqual(
      found.map(({ checked_at }) => checked_at !== null),
      [true, true, false, false, true, true],
    )
    const again = await check('ana@delivers.sandbox')
    assert.equal(again[0]?.checked_at, found[0]?.checked_at)
  })

  test('too many are refused for a while, and an instance that is not connected cannot be asked', async () => {
    const fifty = (letter: string) => Array.from({ length: 50 }, (_, at) => `${letter}${at}@delivers.sandbox`)
    await create(posthorn.admin, 'busy')
    const ask = (letter: string) =>
      posthorn.admin.call(checkAddresses, { params: { name: 'busy' }, body: { addresses: fifty(letter) } })
    const begun = performance.now()
    await ask('a')
    await ask('b')
    const refused = await problemOf(ask('c'))
    assert.equal(refused.code, 'too_many_checks')
    // Fifty more are allowed half a minute after the first hundred were.
    const elapsed = (performance.now() - begun) / 1_000
    assert.ok(Number(refused.headers['retry-after']) >= 30 - elapsed)
    await posthorn.admin.call(stopInstance, { params: { name: 'busy' } })
    const closed = () => problemOf(ask('d')).then(({ code }) => code)
    await eventually('the connection to close', closed, (code) => code === 'instance_not_connected')
    assert.equal((await ask('a')).body.data.length, 50)
  })

  test('a recipient sees that one writes, and nothing is shown without a connection', async () => {
    assert.equal((await type('Ana@delivers.sandbox')).status, 202)
    assert.deepEqual(
      typings().map(({ to, seconds }) => ({ to, seconds })),
      [{ to: 'ana@delivers.sandbox', seconds: 5 }],
    )
    const unreachable = { name: 'away', settings: { behaviour: 'unreachable' } }
    await posthorn.admin.call(createInstance, { body: unreachable })
    assert.equal((await type('ana@delivers.sandbox', 'away')).status, 202)
    assert.equal(typings().length, 1)
    assert.equal((await problemOf(type('not an address'))).code, 'invalid_request')
  })

  test('a network that cannot says so', async () => {
    const body = { name: 'bot', network: 'telegram', credentials: { token: `1:${'a'.repeat(35)}` } }
    await posthorn.admin.call(createInstance, { body })
    const asked = { params: { name: 'bot' }, body: { addresses: ['1'] } }
    const { code, problem } = await problemOf(posthorn.admin.call(checkAddresses, asked))
    assert.equal(code, 'not_supported_by_network')
    assert.match(problem.detail, /`checks_addresses`/)
  })
})
