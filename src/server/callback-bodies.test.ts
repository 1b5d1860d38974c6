import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { CallbackBodies } from './callback-bodies.ts'

const reading = { most: 1000, tooLarge: () => new Error('too large'), givenUp: () => new Error('given up') }

/** A body that is coming in. */
function come(bodies: CallbackBodies, party: string) {
  const stream = new PassThrough()
  const { read, release } = bodies.begin(party)
  const result = read(stream, reading).then(
    (bytes) => bytes.toString(),
    ({ message }: Error) => message,
  )
  return { stream, result, release }
}

const quarter = () => Buffer.alloc(300, 'x')

test('a body is read as it comes, up to its limit', async () => {
  const bodies = new CallbackBodies()
  const { stream, result } = come(bodies, 'a')
  stream.write('grüß')
  await turn()
  stream.end(' dich')
  assert.equal(await result, 'grüß dich')
  const long = come(bodies, 'a')
  long.stream.write(Buffer.alloc(1001))
  assert.equal(await long.result, 'too large')
})

test('one that ends early is an error, and not a short body', async () => {
  const { stream, result } = come(new CallbackBodies(), 'a')
  stream.write('{"half":')
  await turn()
  stream.destroy()
  assert.match(await result, /ended early/)
})

test('a party that holds too much loses what it began first, and nobody else does', async () => {
  const bodies = new CallbackBodies({ all: 1_000_000, party: 1450 })
  const neighbour = come(bodies, 'b')
  neighbour.stream.write(quarter())
  const slow = [come(bodies, 'a'), come(bodies, 'a'), come(bodies, 'a')] as const
  for (const { stream } of slow) stream.write(quarter())
  assert.equal(await slow[0].result, 'given up')
  const quick = come(bodies, 'a')
  quick.stream.end('Hello')
  assert.equal(await quick.result, 'Hello')
  quick.release()
  for (const { stream } of [neighbour, slow[1], slow[2]]) stream.end('!')
  for (const { result } of [neighbour, slow[1], slow[2]]) assert.match(await result, /^x+!$/)
})

test('however many parties hold all there is, the next one gets in', async () => {
  const bodies = new CallbackBodies({ all: 3000, party: 1200 })
  const otherCallers = Array.from({ length: 50 }, (_, index) => come(bodies, `stranger ${index}`))
  for (const { stream } of otherCallers) stream.write(quarter())
  await turn()
  const quick = come(bodies, 'the network')
  quick.stream.end(quarter())
  assert.equal((await quick.result).length, 300)
  for (const { stream } of otherCallers) stream.end()
  const ended = await Promise.all(otherCallers.map(({ result }) => result))
  assert.equal(ended.filter((result) => result === 'given up').length, 45)
  assert.equal(ended.slice(45).filter((result) => result.startsWith('x')).length, 5)
})

test('what is here and not answered yet still counts, and is not given up', async () => {
  const bodies = new CallbackBodies({ all: 1000, party: 1000 })
  const answered = come(bodies, 'a')
  answered.stream.end(quarter())
  await answered.result
  const waiting = come(bodies, 'a')
  waiting.stream.end(quarter())
  await waiting.result
  const last = come(bodies, 'a')
  last.stream.write(quarter())
  assert.equal(await last.result, 'given up')
  answered.release()
  const next = come(bodies, 'a')
  next.stream.end(quarter())
  assert.equal((await next.result).length, 300)
})

test('what was given up is read to its end, so that its connection can be answered', async () => {
  const bodies = new CallbackBodies({ all: 1000, party: 400 })
  const { stream, result } = come(bodies, 'a')
  stream.write(quarter())
  await turn()
  stream.write(quarter())
  assert.equal(await result, 'given up')
  for (let count = 0; count < 1000; count++) stream.write(quarter())
  stream.end()
  await turn()
  assert.ok(stream.readableEnded || stream.readableFlowing)
})
