import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saslTrouble, stanzaError, streamTrouble, troubleFrom } from './errors.ts'
import { element, ns } from './xml.ts'

const sasl = (condition: string) =>
  saslTrouble(element('failure', { xmlns: ns.sasl }, element(condition), element('text', {}, 'why')))
const stream = (condition: string) =>
  streamTrouble(element('stream:error', {}, element(condition, { xmlns: ns.streamErrors })))
const stanza = (condition: string, type?: string) =>
  stanzaError(
    element('message', {}, element('error', { type }, element(condition, { xmlns: ns.stanzaErrors }))),
  )

test('only what is said about the account counts as refused credentials', () => {
  const refused = ['not-authorized', 'account-disabled', 'credentials-expired']
  for (const condition of refused) assert.equal(sasl(condition).verdict, 'credentials-refused', condition)
  for (const condition of ['temporary-auth-failure', 'aborted', 'malformed-request', 'encryption-required']) {
    assert.equal(sasl(condition).verdict, 'connection-lost', condition)
  }
  assert.equal(sasl('mechanism-too-weak').verdict, 'connection-refused')
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
    detail: 'the recipient’s address does not exist',
    permanent: true,
    network_code: 'item-not-found',
  })
  assert.equal(stanza('remote-server-not-found', 'cancel')?.code, 'remote_server_not_found')
  assert.equal(stanza('something-new', 'cancel')?.code, 'undefined_condition')
  assert.equal(stanza('something-new', 'cancel')?.network_code, 'something-new')
  const empty = stanzaError(element('message', { type: 'error' }))
  assert.equal(empty?.code, 'undefined_condition')
})

test('errors of sockets get words of their own', () => {
  const code = (name: string) => troubleFrom(Object.assign(new Error('secret detail'), { code: name })).reason
  assert.equal(code('ECONNREFUSED').code, 'server_unreachable')
  assert.equal(code('DEPTH_ZERO_SELF_SIGNED_CERT').code, 'certificate_not_trusted')
  assert.equal(code('CERT_HAS_EXPIRED').code, 'certificate_not_trusted')
  assert.equal(code('UNABLE_TO_VERIFY_LEAF_SIGNATURE').code, 'certificate_not_trusted')
  assert.equal(code('ERR_TLS_CERT_ALTNAME_INVALID').code, 'certificate_not_trusted')
  assert.equal(code('ERR_SSL_WRONG_VERSION_NUMBER').code, 'tls_failed')
  assert.equal(code('EWEIRD').code, 'connection_failed')
  assert.doesNotMatch(code('EWEIRD').detail, /secret detail/)
})
