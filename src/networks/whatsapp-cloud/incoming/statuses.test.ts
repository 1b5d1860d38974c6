import assert from 'node:assert/strict'
import { test } from 'node:test'
import { observationIn, recipientKnown } from './statuses.ts'

const id = 'wamid.HBgLMTY0NjcwNDM1OTUVAgARGBI1RjQyNUE3'
const recipient_id = 'Y2FwaV9ncm91cDoxNzA1NTU1MDEzOToxMjAzNjM0MDQ2OTQyMzM4MjAZD'
const ofGroup = { id, recipient_id, recipient_type: 'group', timestamp: '1739321024' }
const errors = [{ code: 131026, title: 'Message undeliverable' }]

test('a message to a group failed if Meta says it of the group, and not if one of its members did not get it', () => {
  const failed = observationIn({ ...ofGroup, status: 'failed', errors })
  assert.ok(failed?.kind === 'message-returned' && failed.error.code === 'recipient_unreachable')
  for (const name of [
    'recipient_participant_id',
    'participant_recipient_id',
    'recipient_participant_user_id',
  ])
    assert.equal(observationIn({ ...ofGroup, status: 'failed', errors, [name]: '4915112345678' }), null, name)
})

test('a message to a group is delivered and read by any of its members, who are not its recipient', () => {
  for (const state of ['delivered', 'read']) {
    const status = { ...ofGroup, status: state, recipient_participant_id: '4915112345678' }
    assert.deepEqual(observationIn(status), { kind: 'receipt', network_message_id: id, from: null, state })
    assert.equal(recipientKnown({ ...status, recipient_user_id: 'US.13491208655302741918' }), null)
  }
})
