import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { Webhook } from 'standardwebhooks'
import { eventually, startObserved } from '../../kit/play.ts'
import { randomOf } from '../../kit/random.ts'
import { startCuttingProxy } from '../cutting-proxy.ts'
import { missingPython, pythonEnvironment } from './python.ts'

/* The Python client, played by the Python of the machine against a real Posthorn. */

const run = promisify(execFile)
const plays = join(import.meta.dirname, 'plays.py')
const env = pythonEnvironment

/** Plays one function of plays.py, and returns what it printed. */
async function play(name: string, first: string, second = ''): Promise<string> {
  const given = ['-W', 'error', plays, name, first, second]
  return (await run('python3', given, { env, timeout: 240_000 })).stdout
}

describe('the Python client', { skip: missingPython() }, () => {
  test('sends, waits, lists, follows events, and tells problems', { timeout: 280_000 }, async (context) => {
    const { posthorn } = await startObserved()
    context.after(() => posthorn.stop())
    await play('everything', posthorn.url, posthorn.adminKey)
  })

  test('sends nothing twice over connections that are cut', { timeout: 280_000 }, async (context) => {
    const { posthorn, transcript } = await startObserved()
    context.after(() => posthorn.stop())
    const proxy = await startCuttingProxy(posthorn.url, randomOf(Date.now()))
    context.after(() => proxy.stop())
    await run('python3', ['-c', creating, posthorn.url, posthorn.adminKey], {
      env,
      cwd: join(plays, '../../../../clients/python'),
    })
    const ids: string[] = JSON.parse(await play('cuts', proxy.url, posthorn.adminKey))
    assert.ok(
      Object.values(proxy.cuts).every((count) => count > 0),
      JSON.stringify(proxy.cuts),
    )
    const arrived = await eventually(
      'all to arrive',
      async () => transcript(),
      ({ length }) => length >= 200,
    )
    assert.equal(new Set(ids).size, 200)
    assert.equal(new Set(arrived.map(({ text }) => text)).size, 200)
    assert.equal(arrived.length, 200)
  })

  test('never takes a response that was cut for a whole one', async (context) => {
    const body = JSON.stringify({ id: 'msg_1' })
    const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
    let sent = 0
    const server = createServer((socket) =>
      socket.once('data', () => socket.end(`${head}${body}`.slice(0, sent++))),
    )
    await once(server.listen(0, '127.0.0.1'), 'listening')
    context.after(() => server.close())
    const { port } = server.address() as AddressInfo
    await play('cut_anywhere', `http://127.0.0.1:${port}`, String(head.length + body.length))
  })

  test('verifies deliveries that the library of Standard Webhooks signed', async () => {
    const secret = `whsec_${Buffer.from('a secret of 32 bytes, as it is..').toString('base64')}`
    const body = JSON.stringify({ id: 'evt_1', type: 'message.received', data: { text: 'Olá' } })
    const now = new Date()
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign('evt_1', now, body),
    }
    await play('webhook', JSON.stringify({ body, headers, secret }))
  })
})

const creating =
  'import sys; from posthorn import Posthorn; Posthorn(*sys.argv[1:]).create_instance("trial", "sandbox", wait=20)'
