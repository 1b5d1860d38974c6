import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DeliveryFixture, embedded } from '../../../../test/kit/stores/delivery-fixture.ts'
import type { Call, Handler } from '../../../contract/handler.ts'
import type { Operation } from '../../../contract/operation.ts'
import type { AuditNote } from '../../../contract/resources/audit.ts'
import { listAudit } from '../../../organizations/audit-log.ts'
import { newId } from '../../../runtime/ids.ts'
import type { EventContext } from '../../context.ts'
import { redeliverEvents } from '../../operations/redeliver-events.ts'
import { skipBacklog } from '../../operations/skip-backlog.ts'

/* An action of many steps, so that no caller waits for long, is noted as one action all the same. */

const organizationId = 'org_a'
const fixture = new DeliveryFixture(embedded)
const webhook = { organization: organizationId, events: null, instances: null, ordering: 'none' } as const

function context(): EventContext {
  const clock = { now: () => fixture.model.now, monotonic: () => fixture.model.now }
  return { store: fixture.store, clock, deliverer: { deliver: () => {} } } as unknown as EventContext
}

/** Calls it as an admin's request does. */
async function call({ operation, handle }: Handler, id: string, body: object): Promise<unknown> {
  const note: AuditNote = {
    id: newId('aud'),
    organizationId,
    key: { id: 'key_1', hint: '1234567' },
    action: operation.id,
    target: id,
    instance: null,
    address: null,
    requestId: null,
    at: fixture.model.now,
  }
  const signal = new AbortController().signal
  const request = { caller: { organizationId }, params: { webhook: id }, body, signal, audit: () => note }
  return ((await handle(request as unknown as Call<Operation>)) as { body: unknown }).body
}

async function noted(): Promise<string[]> {
  const any = { actor: null, action: null, instance: null, since: null, until: null, before: null }
  const { entries } = await fixture.store.read(listAudit, {
    ...any,
    organization: organizationId,
    limit: 100,
  })
  return entries.map(({ action }) => action).toReversed()
}

/** A webhook that is paused, with so many deliveries that wait for it. */
async function backlog(count: number): Promise<string> {
  const { model } = fixture
  const id = await model.create(webhook)
  await model.change(organizationId, id, { paused: 1 })
  await model.append(organizationId, 'message.sent', null, count)
  await model.settleAndClaim(organizationId, { limit: count })
  return id
}

test('a backlog is skipped in many steps with one entry, and with none if nothing is left of it', async () => {
  const id = await backlog(450)
  fixture.model.now += 1_000
  const until = new Date(fixture.model.now).toISOString()
  assert.deepEqual(await call(skipBacklog(context()), id, { until }), { skipped: 450, done: true })
  assert.deepEqual(await call(skipBacklog(context()), id, { until }), { skipped: 0, done: true })
  assert.deepEqual(await noted(), ['skipBacklog'])
})

test('events are delivered again in many steps with one entry, and with none if the webhook has them all', async () => {
  const id = await backlog(1_200)
  const since = new Date(0).toISOString()
  fixture.model.now += 1_000
  assert.deepEqual(await call(redeliverEvents(context()), id, { since }), { deliveries: 0, next_since: null })
  assert.deepEqual(await noted(), [])
  const all = await call(redeliverEvents(context()), id, { since, which: 'all' })
  assert.deepEqual(all, { deliveries: 1_200, next_since: null })
  assert.deepEqual(await noted(), ['redeliverEvents'])
})
