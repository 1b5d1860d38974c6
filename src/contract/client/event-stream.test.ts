import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readEventStream, type WireEvent } from './event-stream.ts'

async function eventsOf(...chunks: readonly (string | Uint8Array)[]): Promise<WireEvent[]> {
  async function* bytes() {
    for (const chunk of chunks) yield typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk
  }
  return Array.fromAsync(readEventStream(bytes()))
}

const one = (data: string, event = 'message', id = ''): WireEvent => ({ event, data, id })

describe('an event stream', () => {
  test('gives event, data and id, and takes off one space only', async () => {
    assert.deepEqual(await eventsOf('id: 7\nevent: status\ndata:  two spaces\n\n'), [
      one(' two spaces', 'status', '7'),
    ])
    assert.deepEqual(await eventsOf('data:none\n\n'), [one('none')])
  })

  test('joins several lines of data', async () => {
    assert.deepEqual(await eventsOf('data: a\ndata\ndata: b\n\n'), [one('a\n\nb')])
  })

  test('skips comments, unknown fields and events without data', async () => {
    assert.deepEqual(await eventsOf(': alive\n\nretry: 10\n\nevent: lost\n\ndata: x\n\n'), [one('x')])
  })

  test('keeps the id for later events, and no id with a null character', async () => {
    assert.deepEqual(await eventsOf('id: 1\ndata: a\n\ndata: b\n\nid: \0\ndata: c\n\n'), [
      one('a', 'message', '1'),
      one('b', 'message', '1'),
      one('c', 'message', '1'),
    ])
  })

  test('leaves out what the end cut off', async () => {
    assert.deepEqual(await eventsOf('data: whole\n\ndata: half'), [one('whole')])
    assert.deepEqual(await eventsOf('data: half\n'), [])
  })

  for (const [name, end] of [
    ['LF', '\n'],
    ['CR', '\r'],
    ['CRLF', '\r\n'],
  ] as const) {
    test(`reads the same, cut anywhere, with lines that end in ${name}`, async () => {
      const text = [
        '\uFEFFevent: grüße',
        'data: 📯 one',
        'data: two',
        '',
        ': note',
        'data: three',
        '',
        '',
      ].join(end)
      const bytes = new TextEncoder().encode(text)
      const expected = [one('📯 one\ntwo', 'grüße'), one('three')]
      for (let first = 0; first <= bytes.length; first += 1) {
        for (let second = first; second <= bytes.length; second += 3) {
          const chunks = [bytes.slice(0, first), bytes.slice(first, second), bytes.slice(second)]
          assert.deepEqual(await eventsOf(...chunks), expected, `cut at ${first} and ${second}`)
        }
      }
    })

    test(`reads byte by byte with lines that end in ${name}`, async () => {
      const bytes = new TextEncoder().encode(['data: ä', '', 'data: b', '', ''].join(end))
      assert.deepEqual(await eventsOf(...[...bytes].map((byte) => Uint8Array.of(byte))), [one('ä'), one('b')])
    })
  }
})
