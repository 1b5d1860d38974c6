import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import {
  createInstance,
  getInstance,
  startInstance,
  stopInstance,
} from '../../../src/contract/operations/instance-operations.ts'
import type { Instance } from '../../../src/contract/resources/instance.ts'
import type { CheckedClient } from '../../kit/http/checked-client.ts'
import { eventually } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

let posthorn: Posthorn

beforeEach(async () => {
  posthorn = await startPosthorn({ environment: { POSTHORN_CONNECT_RATE: '2/1' } })
})

afterEach(() => posthorn.stop())

async function createAll(client: CheckedClient, names: readonly string[]): Promise<void> {
  for (const name of names) await client.call(createInstance, { body: { name } })
}

/** Resolves with the time at which the instance was connected, once it is. */
async function connectedAt(client: CheckedClient, name: string): Promise<string> {
  const read = async (): Promise<Instance> => (await client.call(getInstance, { params: { name } })).body
  const { connected_at } = await eventually(`${name} connected`, read, ({ status }) => status === 'connected')
  return connected_at ?? ''
}

test('an organization with many instances to connect does not keep another with one waiting', async () => {
  const { admin } = posthorn
  await posthorn.createOrganization('small')
  const small = posthorn.client((await posthorn.createKey('small', 'admin')).key)
  const names = Array.from({ length: 9 }, (_, index) => `many-${index}`)
  await createAll(admin, names)
  await createAll(small, ['one'])
  const one = await connectedAt(small, 'one')
  const last = await connectedAt(admin, 'many-8')
  assert.ok(one < last, `${one} is before ${last}`)
})

test('an instance that is stopped while it waits to be connected gives up its place', async () => {
  const { admin } = posthorn
  await createAll(admin, ['first', 'second', 'fickle', 'third', 'patient'])
  await admin.call(stopInstance, { params: { name: 'fickle' } })
  await admin.call(startInstance, { params: { name: 'fickle' } })
  const patient = await connectedAt(admin, 'patient')
  const fickle = await connectedAt(admin, 'fickle')
  assert.ok(patient < fickle, `${patient} is before ${fickle}`)
})
