import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Behaviour, FarEnd, flood } from '../../kit/far-ends/far-end.ts'
import { newcomer } from './migrating.ts'

const key = 'key-of-another'
const answered =
  (body: unknown): Behaviour =>
  ({ socket }) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  }

test('a gateway that does not mean well is refused in a sentence, and gets nothing done', async (context) => {
  const { keyFile, run, present } = await newcomer(context, key)
  const elsewhere = await FarEnd.start(answered([]))
  context.after(() => elsewhere.stop())
  const migrateFrom = async (gateway: string, behaviour: Behaviour) => {
    const far = await FarEnd.start(behaviour)
    const url = `http://127.0.0.1:${far.port}`
    const ran = await run(['migrate', gateway, '--from', url, '--key-file', keyFile])
    await far.stop()
    return ran
  }
  const plays: readonly (readonly [gateway: string, behaviour: Behaviour, told: RegExp])[] = [
    [
      'evolution',
      ({ socket }) =>
        socket.write(
          `HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:${elsewhere.port}/\r\nContent-Length: 0\r\n\r\n`,
        ),
      /redirects to another place \(302\), where its key is not sent/,
    ],
    ['evolution', answered('<html>secret</html>'), /the answer is not JSON; check that Evolution API is/],
    ['waha', answered({ sessions: [] }), /GET \/api\/sessions is no list of at most 1,000 sessions/],
    ['waha', answered(Array(1_001).fill({ name: 'a' })), /is no list of at most 1,000 sessions/],
    ['waha', answered([{ name: 'x'.repeat(201) }]), /has a session without a name/],
    ['waha', answered([{ name: 'a' }, { name: 'a' }]), /lists two accounts of one name/],
    ['evolution', answered([{ name: ['a'] }]), /has an instance without a name; this reads Evolution API 2/],
    [
      'waha',
      ({ socket }) => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
        return flood(socket, `10000\r\n${' '.repeat(65_536)}\r\n`)
      },
      /the answer of the other gateway is larger than 16777216 bytes/,
    ],
    ['waha', ({ socket }) => socket.destroy(), /WAHA at 127\.0\.0\.1:\d+ cannot be read: /],
  ]
  for (const [gateway, behaviour, told] of plays) {
    const { code, out, err } = await migrateFrom(gateway, behaviour)
    assert.deepEqual([code, out], [1, ''], err)
    assert.match(err, told)
    assert.match(err, /^posthorn: [^\n]*\.\n$/, 'one sentence, and no place in the code')
    assert.doesNotMatch(err, /secret|key-of-another/)
  }
  assert.equal(elsewhere.asked.length, 0, 'the key went to another server')
  assert.deepEqual(await present(), { instances: [], webhooks: [] })
})

test('names that a terminal would obey are printed as harmless ones', async (context) => {
  const { keyFile, run, present } = await newcomer(context, key)
  const config = {
    metadata: JSON.parse('{"__proto__": "label"}'),
    webhooks: [{ url: 'javascript:\u001b[2J' }],
  }
  const listed = [{ name: '\u001b[2J\u202eevil', status: '\u0007', config }, { name: '..' }, { name: '密' }]
  const far = await FarEnd.start(answered(listed))
  const url = `http://127.0.0.1:${far.port}`
  const { code, out, err } = await run(['migrate', 'waha', '--from', url, '--key-file', keyFile])
  await far.stop()
  assert.equal(code, 0, `${out}${err}`)
  assert.match(out, /\n\?\[2J\?evil +\? +2j-evil +whatsapp +create\n/)
  for (const obeyed of ['\u001b', '\u0007', '\u202e']) assert.ok(!`${out}${err}`.includes(obeyed))
  const { instances } = await present()
  assert.deepEqual(
    instances.map(({ name }) => name),
    ['2j-evil', 'instance', 'instance-2'],
  )
})
