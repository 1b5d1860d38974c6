import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { mediaErrors } from '../../src/contract/codes.ts'
import type { OpenApiDocument } from '../../src/contract/openapi/document.ts'
import { getOpenapi } from '../../src/contract/operations/service-operations.ts'
import { sandbox } from '../../src/networks/sandbox/driver.ts'
import { xmpp } from '../../src/networks/xmpp/driver.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'

/* What a partner reads who has the address of the server and nothing else. */

describe('the contract that is served', () => {
  let posthorn: Posthorn
  let contract: OpenApiDocument

  before(async () => {
    posthorn = await startPosthorn()
    contract = (await posthorn.client().call(getOpenapi)).body as unknown as OpenApiDocument
  })
  after(() => posthorn.stop())

  test('passes the recommended rules of Redocly with no error and no warning', async () => {
    const config = await createConfig({ extends: ['recommended'] })
    const source = JSON.stringify(contract)
    assert.deepEqual(await lintFromString({ source, absoluteRef: 'openapi.json', config }), [])
  })

  test('tells of every reason for which a file cannot be had, with what to do', () => {
    const section = contract.tags.find(({ name }) => name === 'Messages')?.description ?? ''
    for (const [code, { happened, next }] of Object.entries(mediaErrors))
      assert.ok(section.includes(`| \`${code}\` | ${happened} | ${next} |`), `${code} is not explained`)
  })

  for (const { title, network, reasons, errors } of [sandbox(), xmpp()]) {
    test(`tells of ${title} every code that an instance or a message may bear, with what to do`, () => {
      const section = contract.tags.find((tag) => tag.name === title)?.description ?? ''
      for (const [code, { happened, next }] of [...Object.entries(reasons), ...Object.entries(errors)]) {
        const row = section
          .split('\n')
          .find((line) => line.startsWith(`| \`${code}\``) && line.includes(happened))
        assert.ok(row?.includes(next), `${code} is not explained`)
      }
      const data = contract['x-networks'].find((entry) => entry.network === network)
      assert.deepEqual(Object.keys(data?.reasons as object), Object.keys(reasons))
      assert.deepEqual(data?.errors, errors)
    })
  }
})
