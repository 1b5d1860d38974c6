import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type NewMessage, newMessageRow } from './message.ts'
import { renderMessageEvent } from './message-events.ts'

/*
 * The bytes of events, format by format. An event that was delivered may be delivered or read again years later, and must be
 * the same then: a format that was released is never changed here, only followed by another.
 */

const accepted: NewMessage = {
  id: 'msg_06fdw2p7d8sq1m5v2b9x4hyk6n',
  organization_id: 'org_1',
  instance_id: 'inst_06fdw2p7vr3c0t8g6n1zqa5e9w',
  instance_name: 'trial',
  recipient: 'ana@accepts.sandbox',
  kind: 'text',
  text: 'Zażółć "gęślą"\n🦄',
  relation: null,
  content: null,
  client_ref: 'order-1',
  metadata: '{"campaign":"spring"}',
  created_at: 1_790_000_000_000,
  send_at: null,
  expires_at: 1_790_086_400_000,
  id_assigned: 0,
  window_ends_at: null,
  trace: null,
}

test('format 1, a text that was delivered', () => {
  // The later fate of the message is not in the event.
  const now = { status: 'failed', attempts: 7, error: '{}', read_at: 1_790_000_009_000 } as const
  const event = renderMessageEvent({
    type: 'message.delivered',
    format: 1,
    message: { ...newMessageRow(accepted), network_message_id: 'n-1', ...now },
    metadata: '{"customer":"42"}',
    changeable: '{"attempts":2,"sent_at":1790000001000,"delivered_at":1790000002000}',
  })
  assert.equal(
    JSON.stringify(event),
    '{"instance":{"id":"inst_06fdw2p7vr3c0t8g6n1zqa5e9w","name":"trial","metadata":{"customer":"42"}},' +
      '"message":{"id":"msg_06fdw2p7d8sq1m5v2b9x4hyk6n","direction":"outbound","origin":"posthorn","instance":"trial","from":null,' +
      '"to":"ana@accepts.sandbox","conversation":"ana@accepts.sandbox","aliases":[],"kind":"text","status":"delivered",' +
      '"text":"Zażółć \\"gęślą\\"\\n🦄","subject":null,"relation":null,"unsupported":null,"network_message_id":"n-1",' +
      '"client_ref":"order-1","metadata":{"campaign":"spring"},"error":null,"notices":[],"attempts":2,' +
      '"created_at":"2026-09-21T14:13:20.000Z","send_at":null,"expires_at":"2026-09-22T14:13:20.000Z",' +
      '"sent_at":"2026-09-21T14:13:21.000Z","delivered_at":"2026-09-21T14:13:22.000Z","read_at":null,"window_ends_at":null}}',
  )
})

test('format 1, a file that could not be sent', () => {
  const file = { filename: 'a.png', mime_type: 'image/png', size: 5, sha256: '00' }
  const error = { code: 'rejected', detail: 'No.', permanent: true, network_code: null }
  const event = renderMessageEvent({
    type: 'message.failed',
    format: 1,
    message: newMessageRow({ ...accepted, kind: 'image', text: null, client_ref: null, metadata: null }),
    metadata: '{}',
    changeable: JSON.stringify({ attempts: 1, error: JSON.stringify(error), file }),
  })
  assert.equal(
    JSON.stringify(event),
    '{"instance":{"id":"inst_06fdw2p7vr3c0t8g6n1zqa5e9w","name":"trial","metadata":{}},' +
      '"message":{"id":"msg_06fdw2p7d8sq1m5v2b9x4hyk6n","direction":"outbound","origin":"posthorn","instance":"trial","from":null,' +
      '"to":"ana@accepts.sandbox","conversation":"ana@accepts.sandbox","aliases":[],"kind":"image","status":"failed","caption":null,' +
      '"media":{"filename":"a.png","mime_type":"image/png","size":5,"sha256":"00"},"subject":null,"relation":null,' +
      '"unsupported":null,"network_message_id":"06fdw2p7d8sq1m5v2b9x4hyk6n","client_ref":null,"metadata":{},' +
      '"error":{"code":"rejected","detail":"No.","permanent":true,"network_code":null},"notices":[],"attempts":1,' +
      '"created_at":"2026-09-21T14:13:20.000Z","send_at":null,"expires_at":"2026-09-22T14:13:20.000Z",' +
      '"sent_at":null,"delivered_at":null,"read_at":null,"window_ends_at":null}}',
  )
})

test('format 1, a message from a template', () => {
  const text =
    '{"name":"order_update","language":"en_US","components":[{"type":"body","parameters":[{"type":"text","text":"4711"}]}]}'
  const event = renderMessageEvent({
    type: 'message.sent',
    format: 1,
    message: newMessageRow({ ...accepted, kind: 'template', text, client_ref: null, metadata: null }),
    metadata: '{}',
    changeable: '{"attempts":1,"sent_at":1790000001000}',
  })
  assert.equal(
    JSON.stringify(event.message),
    '{"id":"msg_06fdw2p7d8sq1m5v2b9x4hyk6n","direction":"outbound","origin":"posthorn","instance":"trial","from":null,' +
      '"to":"ana@accepts.sandbox","conversation":"ana@accepts.sandbox","aliases":[],"kind":"template","status":"sent",' +
      `"template":${text},"subject":null,"relation":null,"unsupported":null,` +
      '"network_message_id":"06fdw2p7d8sq1m5v2b9x4hyk6n","client_ref":null,"metadata":{},"error":null,"notices":[],"attempts":1,' +
      '"created_at":"2026-09-21T14:13:20.000Z","send_at":null,"expires_at":"2026-09-22T14:13:20.000Z",' +
      '"sent_at":"2026-09-21T14:13:21.000Z","delivered_at":null,"read_at":null,"window_ends_at":null}',
  )
})

test('format 1, a message whose network assigns ids: each event has the id that was known then', () => {
  const message = {
    ...newMessageRow({ ...accepted, id_assigned: 1 }),
    network_message_id: 'n-1',
    notices: '[]',
  }
  const eventOf = (type: 'message.queued' | 'message.sent', changeable: object) =>
    renderMessageEvent({
      type,
      format: 1,
      message,
      metadata: '{}',
      changeable: JSON.stringify(changeable),
    }).message
  const notice = { code: 'sent_as_document', detail: 'It was too large.' }
  const queued = eventOf('message.queued', {})
  assert.deepEqual([queued.network_message_id, queued.notices], [null, []])
  const sent = eventOf('message.sent', { network_message_id: 'n-1', notices: JSON.stringify([notice]) })
  assert.deepEqual([sent.network_message_id, sent.notices], ['n-1', [notice]])
})

test('an event of a format that is not known is not guessed at', () => {
  const parts = {
    type: 'message.queued',
    message: newMessageRow(accepted),
    metadata: '{}',
    changeable: '{}',
  } as const
  assert.throws(() => renderMessageEvent({ ...parts, format: 2 }), /format 2/)
})
