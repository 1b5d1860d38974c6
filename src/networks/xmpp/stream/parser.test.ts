import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { StanzaParser } from './parser.ts'

const opening = Buffer.from(
  "<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' version='1.0'>",
)
const stanza = Buffer.from(
  "<message from='ana@example.org/phone' to='shop@example.org' type='chat' id='m1'><body>Where is my order?</body>" +
    "<request xmlns='urn:xmpp:receipts'/><origin-id xmlns='urn:xmpp:sid:0' id='m1'/></message>",
)

/** The processor time of a stanza in microseconds, by a parser of its own: the least of some measurements, once it is warm. */
function cost(): number {
  const parser = new StanzaParser()
  parser.open(opening)
  const parse = (count: number) => {
    const begun = process.threadCpuUsage()
    for (let index = 0; index < count; index++) {
      parser.begin(stanza)
      while (!parser.step());
    }
    const { user, system } = process.threadCpuUsage(begun)
    return (user + system) / count
  }
  parse(4_000)
  return Math.min(...Array.from({ length: 5 }, () => parse(2_000)))
}

test('parsers of connections that come and go stay as quick as the first', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const first = cost()
  for (let number = 0; number < 10; number++) {
    // Objects that a function has just used may still lie on the stack.
    await new Promise((resolve) => setImmediate(resolve))
    for (let times = 0; times < 3; times++) collect()
    cost()
  }
  const last = cost()
  assert.ok(last < 3 * first, `a stanza took ${first} µs of the first parser, and ${last} of the last`)
})
