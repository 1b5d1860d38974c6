import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { downloadAndProcessHistorySyncNotification, downloadExternalBlob } from 'baileys'
import { goesNowhere } from './socket.ts'

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
