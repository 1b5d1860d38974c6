import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { takeTurns } from './turns.ts'

test('one message is given at a time, and conversations take turns, each in its order', async () => {
  const ws = new EventEmitter()
  const given: string[] = []
  const waiting: (() => void)[] = []
  ws.on('CB:message', async ({ attrs }: { attrs: { id: string } }) => {
    given.push(attrs.id)
    await new Promise<void>((done) => waiting.push(done))
  })
  takeTurns({ ws })
  for (const id of ['flood 1', 'flood 2', 'flood 3', 'flood 4', 'ana 1', 'ana 2'])
    ws.emit('CB:message', { tag: 'message', attrs: { id, from: id.split(' ')[0] } })
  for (let each = 1; each <= 6; each++) {
    assert.equal(given.length, each)
    waiting.shift()?.()
    await turn()
  }
  assert.deepEqual(given, ['flood 1', 'flood 2', 'ana 1', 'flood 3', 'ana 2', 'flood 4'])
  ws.emit('CB:message', { tag: 'message', attrs: { id: 'later', from: 'ana' } })
  assert.equal(given.at(-1), 'later')
})

test('one that had waited is given as if it came just now, and its end is told', async () => {
  const ws = new EventEmitter()
  const seen: string[] = []
  ws.on('CB:message', async ({ attrs }: { attrs: object }) => {
    await turn()
    seen.push(JSON.stringify(attrs))
  })
  takeTurns({ ws }, async ({ attrs }, pass) => {
    await pass()
    seen.push(`${attrs.id} ended`)
  })
  for (const id of ['first', 'second']) ws.emit('CB:message', { attrs: { id, offline: '0' } })
  while (seen.length < 4) await turn()
  assert.deepEqual(seen, ['{"id":"first"}', 'first ended', '{"id":"second"}', 'second ended'])
})
