import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isAudited, type Operation } from '../../../src/contract/operation.ts'
import { cancelMessages } from '../../../src/contract/operations/cancellation-operations.ts'
import { forgetContact, listContacts } from '../../../src/contract/operations/conversation-operations.ts'
import {
  changeGroupMembers,
  createGroup,
  decideJoinRequests,
  getInviteLink,
  joinGroup,
  leaveGroup,
  updateGroup,
} from '../../../src/contract/operations/conversations/group-operations.ts'
import { listEvents } from '../../../src/contract/operations/event-operations.ts'
import {
  createInstance,
  deleteInstance,
  getInstanceStatus,
  replaceCredentials,
  restartInstance,
  startInstance,
  stopInstance,
  updateInstance,
} from '../../../src/contract/operations/instance-operations.ts'
import { createKey, revokeKey } from '../../../src/contract/operations/key-operations.ts'
import { answerLink, logOutInstance, startLink } from '../../../src/contract/operations/link-operations.ts'
import {
  answerLinkOnPage,
  createLinkPage,
  declineLink,
  revokeLinkPages,
  startLinkOnPage,
} from '../../../src/contract/operations/link-page-operations.ts'
import { cancelMessage, sendTextMessage } from '../../../src/contract/operations/message-operations.ts'
import {
  createOrganization,
  createOrganizationKey,
  revokeOrganizationKey,
  updateOrganization,
} from '../../../src/contract/operations/organization-operations.ts'
import {
  createWebhook,
  deleteWebhook,
  deliverEvent,
  redeliver,
  redeliverEvents,
  rotateWebhookSecret,
  skipBacklog,
  testWebhook,
  tryWebhook,
  updateWebhook,
} from '../../../src/contract/operations/webhook-operations.ts'
import { operations } from '../../../src/contract/operations.ts'
import type { CheckedClient } from '../../kit/http/checked-client.ts'
import { create, eventually, inMs, reaches, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'
import { rowsIn, tamper } from '../../kit/rows.ts'

/*
 * A change and its entry in the audit log are one: neither is ever there without the other, however the server breaks
 * between them.
 */

const url = 'https://example.org/hooks'

const noEntry = {
  sqlite: "create trigger no_entry before insert on audit begin select raise(abort, 'no entry'); end",
  postgres: `create function no_entry() returns trigger language plpgsql as $$ begin raise exception 'no entry'; end $$;
    create trigger no_entry before insert on audit execute function no_entry()`,
}
const entriesAgain = {
  sqlite: 'drop trigger no_entry',
  postgres: 'drop trigger no_entry on audit; drop function no_entry()',
}

/** Tables that callers can change, without those that connections and deliveries change by themselves. */
const changeable = [
  'select name, wanted, credentials from instances order by id',
  'select id, paused, enabled, secret, begins_after from webhooks order by id',
  'select id, status from deliveries order by id',
  'select id, status from messages order by id',
  'select id from link_pages order by id',
  'select id, revoked_at from api_keys order by id',
  'select name from organizations order by id',
  'select address, forget_below from contact_addresses order by address',
]

type Step = readonly [Operation, () => Promise<unknown>]

/** Acts on link pages, on instances that are there before: one waits for a person, the other asks one. */
async function onLinkPages({ admin, client }: Posthorn): Promise<Step[]> {
  await create(admin, 'waits', { link: 'qr', links_after_seconds: 3600 })
  await create(admin, 'asks', { link: 'question' })
  const waits = { params: { name: 'waits' } }
  const asks = { params: { name: 'asks' } }
  const visitor = async (at: typeof asks) => {
    const { url } = (await admin.call(createLinkPage, at)).body
    return client(url.split('#')[1])
  }
  const [waiting, asked] = [await visitor(waits), await visitor(asks)]
  const { link } = (await admin.call(getInstanceStatus, asks)).body
  const answer = link?.value.replace(/.* /, '') ?? ''
  return [
    [
      answerLinkOnPage,
      async () => {
        await asked.call(answerLinkOnPage, { body: { answer } })
        // The connection stores its credentials now, which must not happen while the next step is looked at.
        const status = async () => (await admin.call(getInstanceStatus, asks)).body.status
        await eventually('the account to be linked', status, (now) => now === 'connected')
      },
    ],
    [startLinkOnPage, () => waiting.call(startLinkOnPage)],
    [createLinkPage, () => admin.call(createLinkPage, waits)],
    [declineLink, () => waiting.call(declineLink)],
    [revokeLinkPages, () => admin.call(revokeLinkPages, waits)],
  ]
}

function canceling(admin: CheckedClient): Step[] {
  let id = ''
  const send = async () => {
    id = (await text(admin, { instance: 'trial', to: 'ana@accepts.sandbox', send_at: inMs(3_600_000) })).id
  }
  return [
    [sendTextMessage, send],
    [cancelMessage, () => admin.call(cancelMessage, { params: { id } })],
    [sendTextMessage, send],
    [cancelMessages, () => admin.call(cancelMessages, { body: { all: true } })],
  ]
}

/** A person replies, and is forgotten. */
function inGroups(admin: CheckedClient): Step[] {
  const params = { name: 'trial' }
  const at = { params: { ...params, address: 'team@group.sandbox' } }
  const members = ['cy@delivers.sandbox']
  return [
    [createGroup, () => admin.call(createGroup, { params, body: { subject: 'Crew', members } })],
    [updateGroup, () => admin.call(updateGroup, { ...at, body: { subject: 'Crew' } })],
    [changeGroupMembers, () => admin.call(changeGroupMembers, { ...at, body: { action: 'add', members } })],
    [getInviteLink, () => admin.call(getInviteLink, at)],
    [
      decideJoinRequests,
      () => admin.call(decideJoinRequests, { ...at, body: { action: 'approve', people: members } }),
    ],
    [leaveGroup, () => admin.call(leaveGroup, at)],
    [joinGroup, () => admin.call(joinGroup, { params, body: { invitation: 'team@group.sandbox' } })],
  ]
}

function forgetting(admin: CheckedClient): Step[] {
  const address = 'ana@replies.sandbox'
  const params = { name: 'trial' }
  const contacts = async () => (await admin.call(listContacts, { params })).body.data
  return [
    [
      sendTextMessage,
      async () => {
        const { id } = await text(admin, { instance: 'trial', to: address })
        await reaches(admin, id, 'delivered')
        await eventually('the contact', contacts, ({ length }) => length > 0)
      },
    ],
    [
      forgetContact,
      async () => {
        await admin.call(forgetContact, { params: { ...params, address } })
        await eventually('the contact to be gone', contacts, ({ length }) => length === 0)
      },
    ],
  ]
}

/** Everything else that is audited, and what must be sent before, in an order in which it can be done. */
function everything(admin: CheckedClient): Step[] {
  const params = { name: 'trial' }
  return [
    [createInstance, () => create(admin, 'trial', { link: 'question' })],
    [
      answerLink,
      async () => {
        const { link } = (await admin.call(getInstanceStatus, { params })).body
        const answer = link?.value.replace(/.* /, '') ?? ''
        await admin.call(answerLink, { params, body: { answer }, waitSeconds: 10 })
      },
    ],
    [
      replaceCredentials,
      () =>
        admin.call(replaceCredentials, {
          params,
          body: { credentials: { token: 'other' } },
          waitSeconds: 10,
        }),
    ],
    [
      updateInstance,
      () => admin.call(updateInstance, { params, body: { metadata: { changed: 'yes' } }, waitSeconds: 10 }),
    ],
    ...forgetting(admin),
    ...inGroups(admin),
    [logOutInstance, () => admin.call(logOutInstance, { params })],
    [startLink, () => admin.call(startLink, { params, waitSeconds: 10 })],
    [stopInstance, () => admin.call(stopInstance, { params, waitSeconds: 10 })],
    [startInstance, () => admin.call(startInstance, { params, waitSeconds: 10 })],
    [restartInstance, () => admin.call(restartInstance, { params, waitSeconds: 10 })],
    ...canceling(admin),
    ...withWebhook(admin),
    [deleteInstance, () => admin.call(deleteInstance, { params })],
  ]
}

/** Makes a webhook, does all with it that one can, and removes it. */
function withWebhook(admin: CheckedClient): Step[] {
  const made = { webhook: '', delivery: '' }
  const webhook = () => ({ params: { webhook: made.webhook } })
  return [
    [
      createWebhook,
      async () => {
        const body = { url, events: ['message.queued' as const] }
        made.webhook = (await admin.call(createWebhook, { body })).body.id
      },
    ],
    [updateWebhook, () => admin.call(updateWebhook, { ...webhook(), body: { paused: true } })],
    [rotateWebhookSecret, () => admin.call(rotateWebhookSecret, webhook())],
    [
      testWebhook,
      async () => {
        made.delivery = (await admin.call(testWebhook, webhook())).body.id
      },
    ],
    [tryWebhook, () => admin.call(tryWebhook, { body: { url } })],
    [
      deliverEvent,
      async () => {
        const last = await admin.call(listEvents, { query: { last: 1 } })
        const event = last.body.data[0]?.id ?? ''
        await admin.call(deliverEvent, { ...webhook(), body: { event } })
      },
    ],
    [redeliver, () => admin.call(redeliver, { params: { webhook: made.webhook, delivery: made.delivery } })],
    [redeliverEvents, () => admin.call(redeliverEvents, { ...webhook(), body: { since: inMs(-60_000) } })],
    [skipBacklog, () => admin.call(skipBacklog, { ...webhook(), body: { until: inMs(0) } })],
    [deleteWebhook, () => admin.call(deleteWebhook, webhook())],
  ]
}

/** The same for keys and organizations. */
function keysAndOrganizations(admin: CheckedClient, operator: CheckedClient): Step[] {
  const role = 'read' as const
  const neighbour = { organization: 'neighbour' }
  let key = ''
  return [
    [
      createKey,
      async () => {
        key = (await admin.call(createKey, { body: { role } })).body.id
      },
    ],
    [revokeKey, () => admin.call(revokeKey, { params: { id: key } })],
    [createOrganization, () => operator.call(createOrganization, { body: { name: 'neighbour' } })],
    [
      updateOrganization,
      () => operator.call(updateOrganization, { params: neighbour, body: { stop_words: ['stop'] } }),
    ],
    [
      createOrganizationKey,
      async () => {
        const given = { params: neighbour, body: { role } }
        key = (await operator.call(createOrganizationKey, given)).body.id
      },
    ],
    [
      revokeOrganizationKey,
      () => operator.call(revokeOrganizationKey, { params: { ...neighbour, id: key } }),
    ],
  ]
}

test('whose entry cannot be written is not done, and what is done has its entry', async () => {
  const posthorn = await startPosthorn({ environment: { POSTHORN_BASE_URL: 'https://posthorn.example' } })
  const { admin, data } = posthorn
  const all = async () => JSON.stringify(await Promise.all(changeable.map((query) => rowsIn(data, query))))
  const entries = () =>
    rowsIn<{ action: string; result: string }>(data, 'select action, result from audit order by seq')
  const operator = posthorn.client(readFileSync(join(data, 'operator.token'), 'utf8').trim())
  try {
    const keys = keysAndOrganizations(admin, operator)
    const steps = [...(await onLinkPages(posthorn)), ...everything(admin), ...keys]
    const audited = (operations as readonly Operation[]).filter(isAudited).map(({ id }) => id)
    const played = steps.filter(([operation]) => isAudited(operation)).map(([{ id }]) => id)
    assert.deepEqual(played.toSorted(), audited.toSorted())
    for (const [operation, act] of steps) {
      const { id } = operation
      const [before, known] = [await all(), await entries()]
      if (isAudited(operation)) {
        await tamper(data, noEntry)
        await assert.rejects(act(), { code: 'internal_error' }, id)
        assert.equal(await all(), before, `${id} was done without its entry`)
        await tamper(data, entriesAgain)
      }
      await act()
      const fresh = (await entries()).slice(known.length)
      const name = operation.auditedAs ?? id
      assert.deepEqual(
        fresh.map(({ action, result }) => [action, result]),
        isAudited(operation) ? [[name, 'done']] : [],
      )
    }
  } finally {
    await posthorn.stop()
  }
})
