import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createServer } from 'node:tls'
import { createInstance } from '../../../../src/contract/operations/instance-operations.ts'
import { Authority } from '../../../kit/far-ends/certificates.ts'
import { becomes, environmentFor } from '../../../kit/networks/whatsapp/stage.ts'
import { freshFolder, spawnPosthorn } from '../../../kit/posthorn.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../../simulators/whatsapp/start-whatsapp.ts'

/*
 * Trust of an instance: nothing in the environment of the server makes it speak to a server that cannot prove its identity.
 */

const folder = freshFolder()
const authority = new Authority('Another authority')
const caFile = join(folder, 'other.pem')
writeFileSync(caFile, authority.cert)

/** Turns verification off for everything in Node that leaves it to Node. */
const lax = {
  NODE_TLS_REJECT_UNAUTHORIZED: '0',
  NODE_OPTIONS: '--import=data:text/javascript,process.env.NODE_TLS_REJECT_UNAUTHORIZED="0"',
}

let whatsapp: WhatsAppProcess

before(async () => {
  whatsapp = await startWhatsApp({ after: () => {} })
})
after(async () => {
  await whatsapp?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Has a server with this environment create an instance; returns what ended its first attempt. */
async function refusal(name: string, environment: Readonly<Record<string, string>>): Promise<string> {
  const server = await spawnPosthorn(mkdtempSync(join(folder, 'data-')), {
    ...environmentFor(whatsapp),
    ...environment,
  })
  try {
    await server.admin.call(createInstance, { body: { name, network: 'whatsapp' } })
    const status = name === 'address' ? 'failed' : 'reconnecting'
    const { reason } = await becomes(server, name, status)
    return reason?.code ?? ''
  } finally {
    await server.end('SIGKILL')
  }
}

for (const [how, environment] of [
  ['as Node verifies', {}],
  ['although Node is told to verify nothing', lax],
] as const) {
  test(`a server of another authority is not spoken to, ${how}`, async () => {
    const code = await refusal('authority', { ...environment, POSTHORN_WHATSAPP_CA_FILE: caFile })
    assert.equal(code, 'tls_failed')
    assert.equal((await whatsapp.control.streams({})).opened, 0)
  })

  test(`a server of another name is not spoken to, ${how}`, async (t) => {
    let said = 0
    const other = createServer(authority.certify({ hosts: ['other.test'] }), (socket) => {
      socket.on('error', () => {})
      socket.on('data', ({ length }) => {
        said += length
      })
    })
    other.on('tlsClientError', () => {})
    other.listen(0, '127.0.0.1')
    await once(other, 'listening')
    t.after(() => other.close())
    const url = `wss://127.0.0.1:${(other.address() as AddressInfo).port}/ws/chat`
    const wrong = { POSTHORN_WHATSAPP_SERVER: url, POSTHORN_WHATSAPP_CA_FILE: caFile }
    assert.equal(await refusal('name', { ...environment, ...wrong }), 'tls_failed')
    assert.equal(said, 0)
  })
}

test('a server at a private address is not connected to unless the operator allows it', async () => {
  const had = await whatsapp.control.connections({})
  const code = await refusal('address', { POSTHORN_CONNECT_ALLOW_CIDRS: '198.51.100.0/24' })
  assert.equal(code, 'address_not_allowed')
  assert.equal(await whatsapp.control.connections({}), had)
})

test('a server that WhatsApp has not certified is not spoken to, whatever TLS says', async (t) => {
  const forger = await startWhatsApp(t, 'wrong_signature')
  assert.equal(await refusal('forged', environmentFor(forger)), 'server_not_proven')
  const otherRoot = { POSTHORN_WHATSAPP_ROOT_KEY: 'ab'.repeat(32) }
  assert.equal(await refusal('root', otherRoot), 'server_not_proven')
})
