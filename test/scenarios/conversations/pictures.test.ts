import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  forgetContact,
  getContact,
  getContactPicture,
  listContacts,
  listConversations,
} from '../../../src/contract/operations/conversation-operations.ts'
import { createInstance, stopInstance } from '../../../src/contract/operations/instance-operations.ts'
import { problemOf } from '../../kit/http/problem-of.ts'
import { create, eventually, everythingReceived, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

const png = /^89504e470d0a1a0a/

describe('pictures of people, in the sandbox', { timeout: 60_000 }, () => {
  let posthorn: Posthorn

  before(async () => {
    posthorn = await startPosthorn()
    await create(posthorn.admin, 'trial')
    await text(posthorn.admin, { instance: 'trial', to: 'ana@replies.sandbox', text: 'Hello' }, 10)
    const received = () => everythingReceived(posthorn.admin, 'trial')
    await eventually('the answer', received, ({ length }) => length > 0)
  })
  after(() => posthorn.stop())

  const get = (path: string, headers: Record<string, string> = {}) =>
    posthorn.admin.rawRequest('GET', path, {
      headers: { authorization: `Bearer ${posthorn.adminKey}`, ...headers },
    })
  const codeOf = async (address: string, name = 'trial') =>
    (await problemOf(posthorn.admin.call(getContactPicture, { params: { name, address } }))).code

  test('a contact and a conversation name the path of the picture, and it is there', async () => {
    const params = { name: 'trial', address: 'ana@replies.sandbox' }
    const { picture_url: url } = (await posthorn.admin.call(getContact, { params })).body
    assert.equal(url, '/v1/instances/trial/contacts/ana%40replies.sandbox/picture')
    const { body: people } = await posthorn.admin.call(listContacts, { params: { name: 'trial' } })
    const { body: talks } = await posthorn.admin.call(listConversations)
    assert.deepEqual([people.data[0]?.picture_url, talks.data[0]?.picture_url], [url, url])
    const { status, headers, bytes } = await get(url)
    assert.equal(status, 200)
    assert.match(bytes.toString('hex'), png)
    assert.deepEqual(
      [headers['content-type'], headers['cache-control'], headers.vary, headers['x-content-type-options']],
      ['image/png', 'private, max-age=3600', 'authorization, cookie', 'nosniff'],
    )
    assert.match(headers['content-disposition'] ?? '', /^attachment; filename="?picture\.png"?$/)
    assert.match(headers['content-security-policy'] ?? '', /sandbox/)
    const again = await get(url, { 'if-none-match': headers.etag ?? '' })
    assert.deepEqual([again.status, again.bytes.length], [304, 0])
    assert.equal(again.headers['cache-control'], 'private, max-age=3600')
    const part = await get(url, { range: 'bytes=1-3' })
    assert.deepEqual([part.status, part.text], [206, 'PNG'])
  })

  test('it belongs to the address, however that is written', async () => {
    const at = async (address: string) =>
      (await posthorn.admin.call(getContactPicture, { params: { name: 'trial', address } })).bytes
    assert.deepEqual(await at('Ana@Replies.sandbox'), await at('ana@replies.sandbox'))
    assert.notDeepEqual(await at('bob@replies.sandbox'), await at('ana@replies.sandbox'))
  })

  test('a person without one, an address that is none and an instance that cannot ask have a problem', async () => {
    assert.equal(await codeOf('+4915112345678'), 'picture_not_found')
    assert.equal(await codeOf('not an address'), 'picture_not_found')
    assert.equal(await codeOf('ana@replies.sandbox', 'none'), 'instance_not_found')
    await create(posthorn.admin, 'still')
    await posthorn.admin.call(getContactPicture, { params: { name: 'still', address: 'ana@reads.sandbox' } })
    await posthorn.admin.call(stopInstance, { params: { name: 'still' }, waitSeconds: 10 })
    assert.equal(await codeOf('bob@reads.sandbox', 'still'), 'instance_not_connected')
    assert.match(
      (await get('/v1/instances/still/contacts/ana%40reads.sandbox/picture')).bytes.toString('hex'),
      png,
    )
  })

  test('a network that has none says so, and shows no paths', async () => {
    const body = { name: 'bridge', network: 'xmpp', settings: { address: 'a@example.invalid' } }
    const made = { ...body, credentials: { password: 'secret' } }
    await posthorn.admin.call(createInstance, { body: made }).catch(() => {})
    const { status, json } = await get('/v1/networks')
    assert.equal(status, 200)
    const networks = (json as { data: { network: string; abilities: { pictures: boolean } }[] }).data
    assert.equal(networks.find(({ network }) => network === 'sandbox')?.abilities.pictures, true)
  })

  test('more people than a network bears are refused for a while', async () => {
    await create(posthorn.admin, 'busy')
    const ask = (at: number) => codeOf(`p${at}@unknown.sandbox`, 'busy')
    const codes = await Promise.all(Array.from({ length: 70 }, (_, at) => ask(at)))
    assert.deepEqual(new Set(codes), new Set(['picture_not_found', 'too_many_pictures']))
    assert.ok(codes.filter((code) => code === 'picture_not_found').length >= 60)
    assert.equal(await codeOf('p0@unknown.sandbox', 'busy'), 'picture_not_found', 'it is known')
  })

  test('the picture of a forgotten person is asked for anew', async () => {
    await posthorn.admin.call(getContactPicture, {
      params: { name: 'trial', address: 'ana@replies.sandbox' },
    })
    await posthorn.admin.call(forgetContact, { params: { name: 'trial', address: 'ana@replies.sandbox' } })
    await posthorn.admin.call(stopInstance, { params: { name: 'trial' }, waitSeconds: 10 })
    assert.equal(await codeOf('ana@replies.sandbox'), 'instance_not_connected', 'nothing of it is kept')
  })
})
