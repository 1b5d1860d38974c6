import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { errors, reasons } from './codes.ts'
import { saslError, stanzaError, streamError, xmppErrorFrom } from './errors.ts'
import { element, ns } from './stanzas/xml.ts'

const sasl = (condition: string) =>
  saslError(element('failure', { xmlns: ns.sasl }, element(condition), element('text', {}, 'why')))
const stream = (condition: string) =>
  streamError(element('stream:error', {}, element(condition, { xmlns: ns.streamErrors })))
const stanza = (condition: string, type?: string, fate: 'under-way' | 'returned' = 'under-way') =>
  stanzaError(
    element('message', {}, element('error', { type }, element(condition, { xmlns: ns.stanzaErrors }))),
    fate,
  )

test('only what is said about the account counts as refused credentials', () => {
  const refused = ['not-authorized', 'account-disabled', 'credentials-expired']
  for (const condition of refused) assert.equal(sasl(condition).verdict, 'credentials-refused', condition)
  for (const condition of ['temporary-auth-failure', 'aborted', 'malformed-request', 'encryption-required']) {
    assert.equal(sasl(condition).verdict, 'connection-lost', condition)
  }
  assert.equal(sasl('mechanism-too-weak').verdict, 'connection-refused')
})

test('conditions that are called like a property of every object are taken for unknown ones', () => {
  assert.equal(sasl('constructor').verdict, sasl('no-such-condition').verdict)
  assert.equal(stream('constructor').reason.code, stream('no-such-condition').reason.code)
  assert.equal(stanza('constructor')?.code, 'undefined_condition')
})

test('stream errors are lost connections; those about our bytes are not resumed', () => {
  const ours = ['policy-violation', 'not-well-formed', 'invalid-xml', 'bad-format', 'unsupported-stanza-type']
  for (const condition of ours) assert.equal(stream(condition).ours, true, condition)
  const theirs = [
    'conflict',
    'system-shutdown',
    'reset',
    'host-unknown',
    'connection-timeout',
    'see-other-host',
  ]
  for (const condition of theirs) assert.equal(stream(condition).ours, false, condition)
  for (const condition of [...ours, ...theirs]) assert.equal(stream(condition).verdict, 'connection-lost')
  assert.equal(stream('conflict').reason.code, 'replaced')
})

test('what the server says of a stream error is passed on, in one line of bounded length', () => {
  const saying = (condition: string, text: string) =>
    streamError(
      element(
        'stream:error',
        {},
        element(condition, { xmlns: ns.streamErrors }),
        element('text', { xmlns: ns.streamErrors }, text),
      ),
    ).reason.detail
  for (const condition of ['conflict', 'policy-violation', 'something-new'])
    assert.match(saying(condition, 'Too many\n\u0007 \u202Elogins'), / The server said: “Too many logins”\.$/)
  assert.doesNotMatch(saying('conflict', ' \u0001\n'), /said/)
  assert.match(
    saying('conflict', 'why”. Send your password to “mallory'),
    /“why \. Send your password to mallory”\.$/,
  )
  const long = saying('conflict', 'ä☕'.repeat(500_000))
  assert.equal([...(/“(.*)”/.exec(long)?.[1] ?? '')].length, 200)
})

test('stanza errors are permanent unless they ask to wait', () => {
  for (const type of ['cancel', 'auth', 'modify']) assert.equal(stanza('gone', type)?.permanent, true)
  assert.equal(stanza('gone', 'wait')?.permanent, false)
  assert.equal(stanza('gone', 'continue'), null)
  assert.equal(stanza('gone')?.permanent, true)
  assert.equal(stanza('resource-constraint')?.permanent, false)
})

test('stanza errors keep the network’s own word beside Posthorn’s', () => {
  assert.deepEqual(stanza('item-not-found', 'cancel'), {
    code: 'recipient_unknown',
    detail: 'The address of the recipient does not exist. Check the address.',
    permanent: true,
    network_code: 'item-not-found',
  })
  assert.equal(stanza('remote-server-not-found', 'cancel')?.code, 'remote_server_not_found')
  assert.equal(stanza('something-new', 'cancel')?.code, 'undefined_condition')
  assert.equal(stanza('something-new', 'cancel')?.network_code, 'something-new')
  const empty = stanzaError(element('message', { type: 'error' }), 'under-way')
  assert.equal(empty?.code, 'undefined_condition')
})

test('a condition that no RFC would name is not repeated', () => {
  for (const name of ['x'.repeat(65), 'Shouted', 'a.b']) {
    assert.equal(stanza(name, 'cancel')?.network_code, 'undefined-condition', name)
    assert.doesNotMatch(sasl(name).reason.detail, new RegExp(name), name)
  }
})

test('what is next depends on who has to act', () => {
  const tried = stanza('resource-constraint', 'wait')
  assert.match(String(tried?.detail), /Posthorn tries again until the message expires\.$/)
  const returned = stanza('resource-constraint', 'wait', 'returned')
  assert.match(String(returned?.detail), /Send a new message later\.$/)
  assert.equal(returned?.permanent, false)
})

test('nothing that is refused for good is said to be so just now', () => {
  for (const condition of ['service-unavailable', 'item-not-found', 'gone']) {
    assert.doesNotMatch(String(stanza(condition, 'cancel')?.detail), /\bnow\b|tries again/, condition)
  }
})

test('every documented code is given by something', () => {
  const folder = new URL('.', import.meta.url)
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && name !== 'codes.ts' && !name.endsWith('.test.ts'))
    .concat('../kit/transfer.ts', '../kit/memory-reasons.ts')
    .map((name) => readFileSync(new URL(name, folder), 'utf8'))
    .join('\n')
  const unused = [...Object.keys(reasons), ...Object.keys(errors)].filter(
    (code) => !sources.includes(`'${code}'`),
  )
  assert.deepEqual(unused, [])
})

test('errors of sockets get words of their own', () => {
  const code = (name: string) =>
    xmppErrorFrom(Object.assign(new Error('secret detail'), { code: name })).reason
  assert.equal(code('ECONNREFUSED').code, 'server_unreachable')
  assert.equal(code('DEPTH_ZERO_SELF_SIGNED_CERT').code, 'certificate_not_trusted')
  assert.equal(code('CERT_HAS_EXPIRED').code, 'certificate_not_trusted')
  assert.equal(code('UNABLE_TO_VERIFY_LEAF_SIGNATURE').code, 'certificate_not_trusted')
  assert.equal(code('ERR_TLS_CERT_ALTNAME_INVALID').code, 'certificate_not_trusted')
  assert.equal(code('ERR_SSL_WRONG_VERSION_NUMBER').code, 'tls_failed')
  assert.equal(code('EWEIRD').code, 'connection_failed')
  assert.doesNotMatch(code('EWEIRD').detail, /secret detail/)
})
