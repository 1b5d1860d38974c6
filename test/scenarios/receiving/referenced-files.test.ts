import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listEvents } from '../../../src/contract/operations/event-operations.ts'
import { startInstance, stopInstance } from '../../../src/contract/operations/instance-operations.ts'
import { getMessageMedia } from '../../../src/contract/operations/message-operations.ts'
import type { MessageEventData } from '../../../src/contract/resources/event.ts'
import type { Message } from '../../../src/contract/resources/message.ts'
import { NetFailure } from '../../../src/net/failure.ts'
import type { Driver } from '../../../src/networks/driver/driver.ts'
import { sandbox } from '../../../src/networks/sandbox/driver.ts'
import type { CheckedClient } from '../../kit/http/checked-client.ts'
import { create, eventually, everythingReceived, text } from '../../kit/play.ts'
import { startPosthorn } from '../../kit/posthorn.ts'

/* A person sends a file that only the connection of the instance can open. */

const words = 'The file that only the network has'

/** A sandbox that opens no file until the test says so, and knows what it was asked for. */
class LateSandbox {
  readonly asked: string[] = []
  isOpen = false
  readonly driver: Driver

  constructor() {
    const driver = sandbox()
    this.driver = { ...driver, connect: (context) => this.#watched(driver.connect(context)) }
  }

  #watched(connection: ReturnType<Driver['connect']>): ReturnType<Driver['connect']> {
    const closing = new AbortController()
    return {
      send: (message, attempt) => connection.send(message, attempt),
      probe: () => connection.probe(),
      close: () => {
        closing.abort()
        return connection.close()
      },
      files: {
        open: (reference, request) => {
          this.asked.push(reference)
          if (this.isOpen && connection.files?.open) return connection.files.open(reference, request)
          const over = AbortSignal.any([request.signal, closing.signal])
          const lost = new NetFailure('lost', false, 'the connection was closed')
          return new Promise((_resolve, reject) => over.addEventListener('abort', () => reject(lost)))
        },
      },
    }
  }
}

async function receivedEvents(client: CheckedClient) {
  const { data } = (await client.call(listEvents, { query: { limit: 100 } })).body
  return data.filter(({ type }) => type === 'message.received')
}

/** The message with the file, once the file is there. */
async function whole(client: CheckedClient): Promise<Message> {
  const read = () => everythingReceived(client, 'one')
  const isWhole = (messages: Message[]) => messages.some(({ media }) => media?.sha256 != null)
  const [message, ...others] = await eventually('the file', read, isWhole)
  assert.ok(message)
  assert.deepEqual([message.error, others], [null, []])
  assert.deepEqual([message.media?.filename, message.media?.mime_type], ['message.txt', 'text/plain'])
  const { bytes } = await client.call(getMessageMedia, { params: { id: message.id } })
  assert.equal(Buffer.from(bytes ?? []).toString(), words)
  return message
}

test('a file by reference is opened after a restart, and its reference is in no log', async () => {
  const network = new LateSandbox()
  let log = ''
  const write = (line: string) => {
    log += line
  }
  const first = await startPosthorn({ drivers: [network.driver], log: { write } })
  await create(first.admin, 'one')
  await text(first.admin, { instance: 'one', to: 'ana@shares-by-reference.sandbox', text: words })
  await eventually(
    'the file to be asked for',
    async () => network.asked.length,
    (count) => count > 0,
  )
  assert.deepEqual(await receivedEvents(first.admin), [], 'the event waits for the file')
  network.isOpen = true
  const second = await first.restart()
  try {
    const message = await whole(second.admin)
    const events = await receivedEvents(second.admin)
    assert.deepEqual(
      events.map(({ data }) => (data as MessageEventData).message.id),
      [message.id],
    )
    assert.equal(new Set(network.asked).size, 1, 'it is the same reference')
    assert.match(log, /serves|connected/)
    assert.ok(network.asked.every((reference) => !log.includes(reference)))
  } finally {
    await second.stop()
  }
})

test('a file by reference waits while its instance is stopped', async () => {
  const network = new LateSandbox()
  const posthorn = await startPosthorn({ drivers: [network.driver] })
  try {
    const { admin } = posthorn
    const params = { name: 'one' }
    await create(admin, 'one')
    await text(admin, { instance: 'one', to: 'ana@shares-by-reference.sandbox', text: words })
    await eventually(
      'the file to be asked for',
      async () => network.asked.length,
      (count) => count > 0,
    )
    await admin.call(stopInstance, { params, waitSeconds: 20 })
    network.isOpen = true
    assert.deepEqual(await receivedEvents(admin), [])
    await admin.call(startInstance, { params, waitSeconds: 20 })
    await whole(admin)
  } finally {
    await posthorn.stop()
  }
})
