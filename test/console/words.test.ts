import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { listNetworks } from '../../src/contract/operations/network-operations.ts'
import type { Network } from '../../src/contract/resources/network.ts'
import type { Translation } from '../../src/web/console/core/translation.ts'
import { contentErrorWords, noticeWords } from '../../src/web/console/words/content-errors.ts'
import { loginReasonWords, restrictionWords } from '../../src/web/console/words/login-reasons.ts'
import { commonErrorWords, recipientErrorWords } from '../../src/web/console/words/message-errors.ts'
import {
  commonFieldWords,
  fieldLabels,
  type NetworkWords,
  networkWords,
} from '../../src/web/console/words/networks.ts'
import { connectionReasonWords, instanceReasonWords } from '../../src/web/console/words/reasons.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'

/*
 * The console says in every language what the networks of this build say in English. Codes of the contract without words do not
 * compile; networks are drivers, whose codes the console cannot import.
 */

type Table = Readonly<Record<string, Translation>>

const reasons: Table = { ...connectionReasonWords, ...loginReasonWords, ...instanceReasonWords }
const errors: Table = { ...recipientErrorWords, ...contentErrorWords, ...commonErrorWords }
const words = { reasons, errors, notices: noticeWords as Table, restrictions: restrictionWords as Table }
const kinds = ['reasons', 'errors', 'notices', 'restrictions'] as const
const spoken: Readonly<Record<string, NetworkWords>> = networkWords

describe('the console has words in every language', () => {
  let posthorn: Posthorn
  let networks: readonly Network[]

  before(async () => {
    posthorn = await startPosthorn()
    networks = (await posthorn.admin.call(listNetworks)).body.data
  })

  after(() => posthorn.stop())

  for (const kind of kinds) {
    test(`for all ${kind} of the networks, and for nothing else`, () => {
      const known = new Set(networks.flatMap((network) => network[kind].map(({ code }) => code)))
      const lacking = [...known].filter((code) => !Object.hasOwn(words[kind], code))
      assert.deepEqual(lacking, [], 'add them to src/web/console/words')
      const ofContract = new Set([...Object.keys(instanceReasonWords), ...Object.keys(commonErrorWords)])
      const idle = Object.keys(words[kind]).filter((code) => !known.has(code) && !ofContract.has(code))
      assert.deepEqual(idle, [], 'no network has them any longer')
    })
  }

  test('for all networks and their fields, and for no others', () => {
    assert.deepEqual(Object.keys(spoken).sort(), networks.map(({ network }) => network).sort())
    for (const network of networks) {
      const own = Object.keys(spoken[network.network]?.fields ?? {})
      const all = fieldsOf(network)
      const told = [...own, ...Object.keys(commonFieldWords)]
      assert.deepEqual(new Set(told), new Set(all), network.title)
    }
    assert.deepEqual(new Set(Object.keys(fieldLabels)), new Set(networks.flatMap(fieldsOf)))
  })

  test('for all test addresses, and for no others', () => {
    for (const { network, description, title } of networks) {
      const rows = [...description.matchAll(/^\| `\w+@([\w-]+)\.[\w.]+` \|/gm)]
      const told = Object.keys(spoken[network]?.testAddresses ?? {})
      assert.deepEqual(new Set(told), new Set(rows.map(([, word]) => word)), title)
    }
  })
})

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
}

/** The names of all fields of a network, also of those within others. */
function fieldsOf({ settings, credentials }: Network): string[] {
  const within = ({ properties = {} }: Schema): string[] =>
    Object.entries(properties).flatMap(([name, part]) => [name, ...within(part)])
  return [...within(settings), ...within(credentials)]
}
