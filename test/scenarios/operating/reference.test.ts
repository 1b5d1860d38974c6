import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { mediaErrors } from '../../../src/contract/codes.ts'
import type { OpenApiDocument } from '../../../src/contract/openapi/document.ts'
import { listNetworks } from '../../../src/contract/operations/network-operations.ts'
import { getOpenapi } from '../../../src/contract/operations/service-operations.ts'
import { readConfig } from '../../../src/networks/config.ts'
import { makeDrivers } from '../../../src/networks/drivers.ts'
import { lintContract } from '../../kit/http/lint-contract.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* A partner reads the reference, with the address of the server and nothing else. */

const drivers = await makeDrivers(readConfig({}))

describe('the contract that is served', () => {
  let posthorn: Posthorn
  let contract: OpenApiDocument

  before(async () => {
    posthorn = await startPosthorn()
    contract = (await posthorn.client().call(getOpenapi)).body as unknown as OpenApiDocument
  })
  after(() => posthorn.stop())

  test('passes the recommended rules of Redocly with no error and no warning', async () => {
    assert.deepEqual(await lintContract(contract), [])
  })

  test('has the networks that the server lists, in the same words, for every key', async () => {
    const { key } = await posthorn.createKey('default', 'read', { instances: ['elsewhere'] })
    const { body } = await posthorn.client(key).call(listNetworks)
    assert.deepEqual(
      body.data.map(({ network }) => network),
      ['sandbox', 'xmpp', 'telegram', 'whatsapp', 'whatsapp-cloud'],
    )
    assert.deepEqual(body, { data: contract['x-networks'], next_cursor: null })
    assert.deepEqual(
      body.data.map((network) => network.for_trying),
      [true, false, false, false, false],
    )
    for (const { settings } of body.data) assert.ok('pacing' in (settings.properties as object))
  })

  test('comes compressed to a caller with a key who accepts gzip, as every long answer does', async () => {
    const { key } = await posthorn.createKey('default', 'read')
    const ask = async (path: string, accepted: string) => {
      const headers = { authorization: `Bearer ${key}`, 'accept-encoding': accepted }
      const [answer] = (await once(get(`${posthorn.url}${path}`, { headers }), 'response')) as [
        IncomingMessage,
      ]
      const { vary, 'content-encoding': encoding } = answer.headers
      return { encoding, vary, body: await buffer(answer) }
    }
    const plain = await ask('/v1/networks', 'br, gzip;q=0')
    assert.deepEqual([plain.encoding, plain.vary], [undefined, 'accept-encoding'])
    const small = await ask('/v1/networks', 'br, gzip')
    assert.deepEqual([small.encoding, small.vary], ['gzip', 'accept-encoding'])
    assert.ok(small.body.length < plain.body.length / 4)
    assert.ok(gunzipSync(small.body).equals(plain.body))
    const short = await ask('/v1/me', 'gzip')
    assert.deepEqual([short.encoding, short.vary], [undefined, undefined])
    // It is open to anonymous callers, and long: it is compressed once, and not for each of them.
    const [contract, again] = [await ask('/v1/openapi.json', 'gzip'), await ask('/v1/openapi.json', 'gzip')]
    assert.deepEqual([contract.encoding, contract.vary], ['gzip', 'accept-encoding'])
    assert.ok(gunzipSync(contract.body).equals((await ask('/v1/openapi.json', 'br')).body))
    assert.ok(again.body.equals(contract.body))
  })

  test('tells of every reason for which a file cannot be had, with what to do', () => {
    const section = contract.tags.find(({ name }) => name === 'Messages')?.description ?? ''
    for (const [code, { happened, next }] of Object.entries(mediaErrors))
      assert.ok(section.includes(`| \`${code}\` | ${happened} | ${next} |`), `${code} is not explained`)
  })

  for (const { title, network, abilities, reasons, errors, notices = {}, restrictions = {} } of drivers) {
    test(`tells of ${title} every code that an instance or a message may bear, with what to do`, () => {
      const section = contract.tags.find((tag) => tag.name === title)?.description ?? ''
      for (const [code, { happened, next }] of [
        ...Object.entries(reasons),
        ...Object.entries(errors),
        ...Object.entries(notices),
        ...Object.entries(restrictions),
      ]) {
        // A reason and an error may have the same code, and a row each.
        const rows = section.split('\n').filter((line) => line.startsWith(`| \`${code}\``))
        const isExplained = rows.some((row) => row.includes(happened) && row.includes(next))
        assert.ok(isExplained, `${code} is not explained`)
      }
      const data = contract['x-networks'].find((entry) => entry.network === network)
      const codesOf = (listed: readonly { code: string }[] = []) => listed.map(({ code }) => code)
      assert.deepEqual(codesOf(data?.reasons), Object.keys(reasons))
      assert.deepEqual(codesOf(data?.errors), Object.keys(errors))
      assert.deepEqual(codesOf(data?.notices), Object.keys(notices))
      assert.deepEqual(codesOf(data?.restrictions), Object.keys(restrictions))
    })

    test(`tells in the section of ${title} what it can do, with what connected proves`, () => {
      const section = contract.tags.find((tag) => tag.name === title)?.description ?? ''
      assert.ok(section.includes(`| What \`connected\` proves | ${abilities.connected_means} |`))
    })
  }
})
