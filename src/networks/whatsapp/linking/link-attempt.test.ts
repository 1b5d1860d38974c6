import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LinkWay } from '../../driver/abilities/linking.ts'
import type { SealedCredentials } from '../../driver/account.ts'
import type { Close } from '../disconnects.ts'
import { type LinkedClient, LinkState } from './link-attempt.ts'

const removed: Close = { status: 401, message: 'Connection Failure' }
const lost: Close = { status: 408, message: 'Connection was lost' }

/** A link as it is stored, and what is done to it, in order. */
function stored(
  logOut: LinkedClient['logOut'],
  { linkedBefore = true, way }: { linkedBefore?: boolean; way?: LinkWay } = {},
) {
  let credentials: SealedCredentials = linkedBefore ? { linked_as: 'a device' } : {}
  const done: string[] = []
  const link = new LinkState(
    {
      settings: {},
      credentials: {
        read: () => credentials,
        save: async (saved: SealedCredentials) => {
          credentials = saved
          done.push('saved')
        },
      },
      keys: {
        get: async () => new Map(),
        set: async () => void done.push('set'),
        clear: async () => void done.push('cleared'),
      },
      ...(way && { link: way }),
    },
    { opened: Promise.resolve(true), logOut, ended: (close) => done.push(`ended ${close.status}`) },
  )
  return { link, done, credentials: () => credentials }
}

test('a device that WhatsApp unlinks is forgotten', async () => {
  const { link, done, credentials } = stored(async () => true)
  assert.equal(await link.remove(), true)
  assert.deepEqual([done, credentials()], [['saved', 'cleared'], {}])
})

test('a connection that ends because the device is gone confirms it, too', async () => {
  const { link, done } = stored(async () => {
    assert.equal(link.takeEnd(removed), true)
    throw new Error('the client is closed')
  })
  assert.equal(await link.unlink(), true)
  assert.deepEqual(done, ['saved', 'cleared'])
  assert.equal(link.takeEnd(lost), false)
})

test('one that ends for another reason confirms nothing, and its end is told', async () => {
  const { link, done, credentials } = stored(async () => {
    link.takeEnd(lost)
    return false
  })
  assert.equal(await link.unlink(), false)
  assert.deepEqual([done, credentials()], [['ended 408'], { linked_as: 'a device' }])
})

test('a client that says nothing is not waited for', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { link, done } = stored(() => new Promise(() => undefined))
  const unlinking = link.unlink()
  t.mock.timers.tick(12_000)
  assert.equal(await unlinking, false)
  assert.deepEqual(done, [])
  assert.equal(link.takeEnd(removed), false)
})

test('a new link begins without the keys of an earlier one, which are removed once', async () => {
  for (const play of [{ linkedBefore: false }, { way: { kind: 'qr' } }] as const) {
    const { link, done } = stored(async () => true, play)
    assert.equal(link.wasThere, false)
    await Promise.all([link.setKeys([]), link.setKeys([])])
    assert.deepEqual(done, ['cleared', 'set', 'set'])
  }
  const { link, done } = stored(async () => true)
  assert.equal(link.wasThere, true)
  await link.setKeys([])
  assert.deepEqual(done, ['set'])
})
