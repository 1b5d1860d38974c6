import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import fc from 'fast-check'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import { introduction } from '../../../contract/openapi/text.ts'
import { newWebhookSecret } from '../../webhook-secrets.ts'
import { type Signable, signatureHeaders } from './signature.ts'

/** Ids as a header can carry them, without the dot that ends them in what is signed. */
const anyId = fc.stringMatching(/^[!-\-/-~]{1,64}$/)
const anyTime = fc.integer({ min: 0, max: 4_000_000_000_000 })
const anyText = fc.string({ unit: 'grapheme', maxLength: 2_000 })
const anyBytes = fc.uint8Array({ maxLength: 2_000 })
const anySecrets = fc.array(fc.constant(null).map(newWebhookSecret), { minLength: 1, maxLength: 4 })

/** A verifier of another language and other hands. It reads JSON lines, and prints for each how many secrets it verified with. */
const verifier = `
import base64, hashlib, hmac, json, sys
for line in sys.stdin:
    seen = json.loads(line)
    headers, body = seen["headers"], base64.b64decode(seen["body"])
    content = headers["webhook-id"].encode() + b"." + headers["webhook-timestamp"].encode() + b"." + body
    shown = [part.split(",", 1) for part in headers["webhook-signature"].split(" ")]
    good = 0
    for secret, (version, signature) in zip(seen["secrets"], shown):
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
        expected = hmac.new(key, content, hashlib.sha256).digest()
        good += version == "v1" and hmac.compare_digest(expected, base64.b64decode(signature, validate=True))
    print(good if good == len(shown) == len(seen["secrets"]) else "bad")
`

test('the published vectors come out', () => {
  // From the tests of the reference libraries of Standard Webhooks, in which all of them agree.
  const reference = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    at: 1_614_265_330_000,
    body: Buffer.from('{"test": 2432232314}'),
    secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  }
  assert.deepEqual(signatureHeaders(reference), {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

test('the time of the attempt is given in whole seconds, rounded down', () => {
  const headers = (at: number) => signatureHeaders({ id: 'evt_1', at, body: Buffer.of(), secrets: [] })
  assert.equal(headers(1_999)['webhook-timestamp'], '1')
  assert.equal(headers(2_000.7)['webhook-timestamp'], '2')
})

test('the published library verifies what is signed, by each of the secrets', (t) => {
  t.mock.timers.enable({ apis: ['Date'] })
  fc.assert(
    fc.property(anyId, anyTime, anyText, anySecrets, (id, at, text, secrets) => {
      t.mock.timers.setTime(at)
      const headers = { ...signatureHeaders({ id, at, body: Buffer.from(text), secrets }) }
      const sent = Buffer.from(text).toString()
      for (const secret of secrets) new Webhook(secret).verify(sent, headers, { jsonParse: false })
      const otherWebhook = new Webhook(newWebhookSecret())
      assert.throws(() => otherWebhook.verify(sent, headers, { jsonParse: false }), WebhookVerificationError)
    }),
  )
})

test('what was changed on its way is not verified by the published library', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1_000_000 })
  const secret = newWebhookSecret()
  const headers = {
    ...signatureHeaders({ id: 'evt_1', at: 1_000_000, body: Buffer.from('{}'), secrets: [secret] }),
  }
  const verify = (body: string, changes: Record<string, string>) =>
    new Webhook(secret).verify(body, { ...headers, ...changes })
  assert.deepEqual(verify('{}', {}), {})
  for (const [body, changes] of [
    ['{ }', {}],
    ['{}', { 'webhook-id': 'evt_2' }],
    ['{}', { 'webhook-timestamp': '1001' }],
    ['{}', { 'webhook-signature': headers['webhook-signature'].replace('v1,', 'v1a,') }],
  ] as const)
    assert.throws(() => verify(body, changes), WebhookVerificationError)
})

test('a verifier in Python verifies any bytes under any id', needsPython(), () => {
  const signed = fc.sample(
    fc.tuple(anyId, anyTime, fc.oneof(anyBytes, anyText.map(Buffer.from)), anySecrets),
    500,
  )
  const lines = signed.map(([id, at, body, secrets]) => lineFor({ id, at, body, secrets }))
  const { stdout, stderr } = spawnSync('python3', ['-c', verifier], {
    input: lines.join('\n'),
    encoding: 'utf8',
  })
  assert.equal(stderr, '')
  assert.deepEqual(
    stdout.trim().split('\n'),
    signed.map(([, , , secrets]) => String(secrets.length)),
  )
})

test('the sample in the reference believes what is signed and young, and nothing else', needsPython(), () => {
  const sample = /```python\n(.*?)```/s.exec(introduction(undefined))?.[1]
  assert.ok(sample)
  const secret = newWebhookSecret()
  const body = Buffer.from('{"type":"message.received"}')
  const minute = 60_000
  const signedAt = (at: number, secrets = [secret]) => signatureHeaders({ id: 'evt_1', at, body, secrets })
  const now = Date.now()
  const young = signedAt(now)
  const cases: readonly (readonly [what: string, headers: object, body: string, believed: boolean])[] = [
    ['as it came', young, `${body}`, true],
    ['with two secrets', signedAt(now, [newWebhookSecret(), secret]), `${body}`, true],
    ['from a clock that is a bit ahead', signedAt(now + 2 * minute), `${body}`, true],
    ['an old one, repeated', signedAt(now - 10 * minute), `${body}`, false],
    ['from the future', signedAt(now + 10 * minute), `${body}`, false],
    ['an old one with a new time', { ...signedAt(now - 10 * minute), ...timeOf(young) }, `${body}`, false],
    ['a time that is none', { ...young, 'webhook-timestamp': 'now' }, `${body}`, false],
    ['another body', young, `${body} `, false],
    ['another secret', signedAt(now, [newWebhookSecret()]), `${body}`, false],
  ]
  const program = `${sample}
import json, sys
for line in sys.stdin:
    secret, headers, body = json.loads(line)
    print(is_from_posthorn(secret, headers, body.encode()))
`
  const input = cases.map(([, headers, text]) => JSON.stringify([secret, headers, text])).join('\n')
  const { stdout, stderr } = spawnSync('python3', ['-c', program], { input, encoding: 'utf8' })
  assert.equal(stderr, '')
  const believed = stdout.trim().split('\n')
  for (const [index, [what, , , expected]] of cases.entries())
    assert.equal(believed[index], expected ? 'True' : 'False', what)
})

function timeOf({ 'webhook-timestamp': time }: ReturnType<typeof signatureHeaders>) {
  return { 'webhook-timestamp': time }
}

function lineFor(signable: Signable): string {
  const { body, secrets } = signable
  const headers = signatureHeaders(signable)
  return JSON.stringify({ headers, body: Buffer.from(body).toString('base64'), secrets })
}

function needsPython(): { skip: string | false } {
  const isThere = spawnSync('python3', ['--version'], { stdio: 'ignore' }).status === 0
  return { skip: isThere ? false : 'python3 is not installed' }
}
