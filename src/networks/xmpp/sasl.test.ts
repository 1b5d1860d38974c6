import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scram } from './sasl.ts'

const login = { username: 'user', password: 'pencil' }

test('SCRAM-SHA-1 as in RFC 5802 section 5', async () => {
  const mechanism = scram('sha1', login, 'fyko+d2lbbFgONRv9qkxdawL')
  assert.equal(mechanism.first, 'n,,n=user,r=fyko+d2lbbFgONRv9qkxdawL')
  assert.equal(
    await mechanism.respond('r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096'),
    'c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=',
  )
  mechanism.confirm('v=rmF9pqV8S7suAoZWja4dJRkFsKQ=')
})

test('SCRAM-SHA-256 as in RFC 7677 section 3', async () => {
  const mechanism = scram('sha256', login, 'rOprNGfwEbeRWgbNEkqO')
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
  assert.equal(scram('sha1', { username: 'a,b=c', password: '' }, 'x').first, 'n,,n=a=2Cb=3Dc,r=x')
})

const challenges = {
  'another nonce': 'r=other,s=QSXCR+Q6sek8bf92,i=4096',
  'our nonce and nothing of its own': 'r=mine,s=QSXCR+Q6sek8bf92,i=4096',
  'no salt': 'r=mine1,s=,i=4096',
  'no iterations': 'r=mine1,s=QSXCR+Q6sek8bf92',
  'iterations without end': 'r=mine1,s=QSXCR+Q6sek8bf92,i=4000000000',
}
for (const [what, challenge] of Object.entries(challenges)) {
  test(`a server that answers with ${what} is not trusted`, async () => {
    await assert.rejects(scram('sha1', login, 'mine').respond(challenge), /server/)
  })
}

test('a server that proves nothing is not trusted, whatever it says first', async () => {
  assert.throws(() => scram('sha1', login, 'mine').confirm(''), /prove/)
  assert.throws(() => scram('sha1', login, 'mine').confirm('v='), /prove/)
  const mechanism = scram('sha1', login, 'mine')
  await mechanism.respond('r=mine1,s=QSXCR+Q6sek8bf92,i=1')
  assert.throws(() => mechanism.confirm(''), /prove/)
  assert.throws(() => mechanism.confirm('v=rmF9pqV8S7suAoZWja4dJRkFsKQ='), /prove/)
})

test('a proof may come as a challenge of its own, with an empty success behind it', async () => {
  const mechanism = scram('sha1', login, 'fyko+d2lbbFgONRv9qkxdawL')
  await mechanism.respond('r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096')
  assert.equal(await mechanism.respond('v=rmF9pqV8S7suAoZWja4dJRkFsKQ='), '')
  mechanism.confirm('')
})
