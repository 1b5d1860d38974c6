import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { downloadAndProcessHistorySyncNotification, downloadExternalBlob, type WASocket } from 'baileys'
import { statusOf } from './baileys/acknowledgements.ts'
import { endIfSilent, goesNowhere } from './socket.ts'

const file = { directPath: '/v/t62.7118-24/1.enc', mediaKey: randomBytes(32) }

/** The whole error, with what caused it. */
const said = async (fetching: Promise<unknown>): Promise<string> => {
  const error = await fetching.then(
    () => assert.fail('it was fetched'),
    (reason: Error) => reason,
  )
  return `${error} ${String(error.cause)}`
}

test('what the library would fetch by itself goes nowhere', async () => {
  assert.match(await said(downloadAndProcessHistorySyncNotification(file, goesNowhere)), /may not fetch/)
  assert.match(await said(downloadExternalBlob(file, goesNowhere)), /may not fetch/)
})

test('a socket on which nothing comes is ended, and one on which something came is not', async () => {
  const ended: { readonly name: string; readonly error: unknown }[] = []
  const over = Promise.withResolvers<void>()
  const open = (name: string, ...events: string[]) => {
    const ws = new EventEmitter()
    const end = async (error: unknown) => {
      ended.push({ name, error })
      if (name === 'silent') over.resolve()
    }
    endIfSilent({ ws, end } as unknown as WASocket, 5)
    for (const event of events) ws.emit(event)
  }
  open('spoke', 'open', 'frame')
  open('closed', 'close')
  open('silent', 'open')
  await over.promise
  assert.deepEqual(
    ended.map(({ name, error }) => [name, statusOf(error)]),
    [['silent', 408]],
  )
})
