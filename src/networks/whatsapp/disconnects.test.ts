import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reasons } from './codes.ts'
import { type Close, disconnectOf } from './disconnects.ts'
import { endingOf, restrictionOf } from './errors.ts'

const failed = 'Connection Failure'
const socket = 'WebSocket Error (something)'

/** Ends as the library reports them, and their meaning: the kind, or the reason. */
const meanings: readonly (readonly [Close, string])[] = [
  [{ status: null, message: '' }, 'closed'],
  [{ status: 515, message: 'Stream Errored (restart required)' }, 'restart'],
  [{ status: 428, message: 'Connection Terminated' }, 'connection_reset'],
  [{ status: 428, message: 'Connection Terminated by Server' }, 'connection_reset'],
  [{ status: 428, message: 'Connection Closed' }, 'connection_reset'],
  [{ status: 408, message: 'Connection was lost' }, 'answer_timeout'],
  [{ status: 408, message: 'Timed Out' }, 'answer_timeout'],
  [{ status: 408, message: 'Pre-key upload timeout' }, 'answer_timeout'],
  [{ status: 408, message: 'QR refs attempts ended' }, 'link-expired'],
  [{ status: 503, message: failed }, 'service_unavailable'],
  [{ status: 503, message: 'Stream Errored (unknown)' }, 'service_unavailable'],
  [{ status: 500, message: failed }, 'server_error'],
  [{ status: 501, message: failed }, 'server_error'],
  [{ status: 599, message: failed }, 'server_error'],
  [{ status: 500, message: 'Stream Errored (ack)' }, 'stream_error'],
  [{ status: 500, message: 'Stream Errored (unknown)' }, 'stream_error'],
  [{ status: 516, message: 'Stream Errored (unknown)' }, 'stream_error'],
  [{ status: 440, message: 'Stream Errored (conflict)', attrs: { type: 'replaced' } }, 'replaced'],
  [{ status: 440, message: 'Stream Errored (conflict)' }, 'replaced'],
  [{ status: 440, message: 'Stream Errored (conflict)', attrs: { type: 'device_removed' } }, 'logged_out'],
  [{ status: 401, message: 'Stream Errored (conflict)', attrs: { type: 'device_removed' } }, 'logged_out'],
  [{ status: 401, message: failed }, 'logged_out'],
  [{ status: 401, message: 'Intentional Logout' }, 'logged_out'],
  [{ status: 402, message: failed, attrs: { expire: '3600' } }, 'temporarily_banned'],
  [{ status: 403, message: failed }, 'account_locked'],
  [{ status: 406, message: failed }, 'account_banned'],
  [{ status: 405, message: failed }, 'client_outdated'],
  [{ status: 409, message: failed }, 'client_outdated'],
  [{ status: 411, message: failed }, 'client_outdated'],
  [{ status: 411, message: 'Multi-device beta not joined' }, 'client_outdated'],
  [{ status: 400, message: failed }, 'refused_by_whatsapp'],
  [{ status: 418, message: failed }, 'refused_by_whatsapp'],
  [{ status: Number.NaN, message: failed }, 'refused_by_whatsapp'],
  [{ status: 400, message: 'certification match failed' }, 'server_not_proven'],
  [{ status: 400, message: 'noise certificate signature invalid' }, 'server_not_proven'],
  [{ status: 500, message: 'Failed to verify account signature' }, 'link_failed'],
  [{ status: 500, message: 'Missing device-identity or device in pair success node' }, 'link_failed'],
  [{ status: 500, message: 'Cannot read properties of undefined' }, 'internal_error'],
  // The status of a proxy is not one of WhatsApp.
  [{ status: 403, message: 'WebSocket Error (Unexpected server response: 403)' }, 'not_whatsapp'],
  [{ status: 401, message: 'WebSocket Error (Unexpected server response: 401)' }, 'not_whatsapp'],
  [{ status: 408, message: socket, socketError: 'ENOTFOUND' }, 'server_unreachable'],
  [{ status: 408, message: socket, socketError: 'ECONNREFUSED' }, 'server_unreachable'],
  [{ status: 408, message: socket, socketError: 'ECONNRESET' }, 'connection_reset'],
  [{ status: 500, message: socket, socketError: 'refused' }, 'address_not_allowed'],
  [{ status: 500, message: socket, socketError: 'refused', isProxied: true }, 'proxy_not_allowed'],
  [{ status: 500, message: socket, socketError: 'unreachable', isProxied: true }, 'proxy_unreachable'],
  [{ status: 500, message: socket, socketError: 'authentication', isProxied: true }, 'proxy_refused'],
  [{ status: 500, message: socket, socketError: 'SELF_SIGNED_CERT_IN_CHAIN' }, 'tls_failed'],
  [{ status: 500, message: socket, socketError: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }, 'tls_failed'],
  [{ status: 408, message: 'WebSocket Error (Opening handshake has timed out)' }, 'answer_timeout'],
  [{ status: 500, message: socket, socketError: 'WS_ERR_INVALID_OPCODE' }, 'not_whatsapp'],
  [{ status: 500, message: 'WebSocket Error (socket hang up)' }, 'connection_reset'],
]

for (const [close, meaning] of meanings) {
  test(`${close.status} ${close.message} ${close.socketError ?? ''} is ${meaning}`, () => {
    const disconnect = disconnectOf(close)
    assert.equal(disconnect.kind === 'ended' ? disconnect.code : disconnect.kind, meaning)
  })
}

test('only a replacement is a take-over', () => {
  for (const [close, meaning] of meanings) {
    const disconnect = disconnectOf(close)
    const takenOver = disconnect.kind === 'ended' && disconnect.takenOver === true
    assert.equal(takenOver, meaning === 'replaced', close.message)
  }
})

for (const [expire, bannedFor] of [
  ['3600', 3_600_000],
  ['0', null],
  ['-5', null],
  ['for ever', null],
  ['9999999999', null],
  [undefined, null],
] as const) {
  test(`a ban for ${expire} seconds lasts ${bannedFor} ms`, () => {
    const disconnect = disconnectOf({ status: 402, message: failed, attrs: { expire } })
    assert.ok(disconnect.kind === 'ended')
    assert.equal(disconnect.bannedFor, bannedFor)
  })
}

test('words of the server are shown only if they are plain', () => {
  const said = (tag: string) => {
    const disconnect = disconnectOf({ status: 500, message: `Stream Errored (${tag})` })
    return disconnect.kind === 'ended' ? disconnect.more : ''
  }
  assert.equal(said('ack'), ' WhatsApp says: `ack`.')
  assert.equal(said('<b>\n'), '')
  assert.equal(said('x'.repeat(500)), '')
})

test('what cannot be mended by waiting is not tried again', () => {
  const ends = (code: keyof typeof reasons) => reasons[code].ends
  for (const code of ['logged_out'] as const) assert.equal(ends(code), 'credentials-refused')
  for (const code of [
    'account_locked',
    'account_banned',
    'temporarily_banned',
    'client_outdated',
    'passkey_required',
  ] as const)
    assert.equal(ends(code), 'connection-refused')
  for (const code of ['replaced', 'connection_reset', 'service_unavailable', 'worker_crashed'] as const)
    assert.equal(ends(code), 'connection-lost')
})

test('an outdated client names both causes and both settings', () => {
  const { detail } = endingOf('client_outdated').reason
  for (const words of [/version/, /browser/, /POSTHORN_WHATSAPP_VERSION/, /POSTHORN_WHATSAPP_BROWSER/])
    assert.match(detail, words)
})

test('a time-lock holds up new people only, and a ban everybody', () => {
  const scopeOf = (code: 'reach_out_restricted' | 'temporarily_banned' | 'new_chats_limit_near') =>
    restrictionOf(code, { since: 1, ends_at: 2 }).scope
  assert.equal(scopeOf('reach_out_restricted'), 'new_contacts')
  assert.equal(scopeOf('temporarily_banned'), 'all_messages')
  assert.equal(scopeOf('new_chats_limit_near'), 'none')
})
