import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharesForTests } from '../../../../test/kit/shares.ts'
import type { XmppError } from '../errors.ts'
import { type DeriveKeys, scram } from './sasl.ts'
import { ScramKeys } from './scram-keys.ts'

const login = { username: 'user', password: 'pencil' }
const share = sharesForTests().of('org_1')
const keys = new ScramKeys(100_000)
const derive: DeriveKeys = (derivation) => keys.derive(derivation, share, new AbortController().signal)

test('SCRAM-SHA-1 as in RFC 5802 section 5', async () => {
  const mechanism = scram('sha1', login, derive, 'fyko+d2lbbFgONRv9qkxdawL')
  assert.equal(mechanism.first, 'n,,n=user,r=fyko+d2lbbFgONRv9qkxdawL')
  assert.equal(
    await mechanism.respond('r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096'),
    'c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=',
  )
  mechanism.confirm('v=rmF9pqV8S7suAoZWja4dJRkFsKQ=')
})

test('SCRAM-SHA-256 as in RFC 7677 section 3', async () => {
  const mechanism = scram('sha256', login, derive, 'rOprNGfwEbeRWgbNEkqO')
  assert.equal(
    await mechanism.respond(
      'r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096',
    ),
    'c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,' +
      'p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=',
  )
  mechanism.confirm('v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=')
})

test('a comma and an equals sign in the name are escaped', () => {
  assert.equal(scram('sha1', { username: 'a,b=c', password: '' }, derive, 'x').first, 'n,,n=a=2Cb=3Dc,r=x')
})

const challenges = {
  'another nonce': 'r=other,s=QSXCR+Q6sek8bf92,i=4096',
  'our nonce and nothing of its own': 'r=mine,s=QSXCR+Q6sek8bf92,i=4096',
  'no salt': 'r=mine1,s=,i=4096',
  'no iterations': 'r=mine1,s=QSXCR+Q6sek8bf92',
  'half an iteration': 'r=mine1,s=QSXCR+Q6sek8bf92,i=4096.5',
}
for (const [what, challenge] of Object.entries(challenges)) {
  test(`a server that answers with ${what} is not trusted`, async () => {
    await assert.rejects(scram('sha1', login, derive, 'mine').respond(challenge), /server/)
  })
}

test('a server that proves nothing is not trusted, whatever it says first', async () => {
  assert.throws(() => scram('sha1', login, derive, 'mine').confirm(''), /prove/)
  assert.throws(() => scram('sha1', login, derive, 'mine').confirm('v='), /prove/)
  const mechanism = scram('sha1', login, derive, 'mine')
  await mechanism.respond('r=mine1,s=QSXCR+Q6sek8bf92,i=4096')
  assert.throws(() => mechanism.confirm(''), /prove/)
  assert.throws(() => mechanism.confirm('v=rmF9pqV8S7suAoZWja4dJRkFsKQ='), /prove/)
})

test('a proof may come as a challenge of its own, with an empty success after it', async () => {
  const mechanism = scram('sha1', login, derive, 'fyko+d2lbbFgONRv9qkxdawL')
  await mechanism.respond('r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096')
  assert.equal(await mechanism.respond('v=rmF9pqV8S7suAoZWja4dJRkFsKQ='), '')
  mechanism.confirm('')
})

for (const [iterations, code] of [
  [4_000_000_000, 'login_too_costly'],
  [100_001, 'login_too_costly'],
  [4_095, 'login_too_weak'],
  [0, 'login_too_weak'],
  [-1, 'login_too_weak'],
] as const) {
  test(`a server that asks for ${iterations} iterations is refused`, async () => {
    const challenge = `r=mine1,s=QSXCR+Q6sek8bf92,i=${iterations}`
    const refused = scram('sha1', login, derive, 'mine').respond(challenge)
    await assert.rejects(refused, (error: XmppError) => error.reason.code === code)
  })
}

test('keys are derived once for a connection, and anew for whatever changes', async () => {
  const fresh = new ScramKeys(100_000)
  const one = { hash: 'sha256', password: 'pencil', salt: Buffer.from('salt'), iterations: 4_096 } as const
  const { signal } = new AbortController()
  const first = await fresh.derive(one, share, signal)
  assert.equal(await fresh.derive({ ...one }, share, signal), first)
  for (const other of [{ password: 'pen' }, { salt: Buffer.from('pepper') }, { iterations: 4_097 }]) {
    assert.notDeepEqual(await fresh.derive({ ...one, ...other }, share, signal), first)
  }
  assert.notEqual(await fresh.derive(one, sharesForTests().of('org_2'), signal), first)
})

test('an organization derives one key at a time, and two derive at a time at most', async () => {
  const fresh = new ScramKeys(100_000)
  const shares = sharesForTests()
  const one = { hash: 'sha256', password: 'pencil', salt: Buffer.from('salt'), iterations: 4_096 } as const
  const gaveUp = new AbortController()
  const derived = Promise.allSettled(
    ['org_1', 'org_1', 'org_2', 'org_3'].map((name) => fresh.derive(one, shares.of(name), gaveUp.signal)),
  )
  // A derivation that has begun goes on to its end.
  gaveUp.abort()
  const results = (await derived).map(({ status }) => status)
  assert.deepEqual(results, ['fulfilled', 'rejected', 'fulfilled', 'rejected'])
})
