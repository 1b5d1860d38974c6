import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { maxEvents, type NewEvent, steps, stretchesOf } from './new-stretches.ts'
import { eventsIn, type Stretch } from './stretch.ts'

/** The rows of these events in a journal that has `last` others. */
function rowsOf(events: readonly NewEvent[], last = 0): Stretch[] {
  let sequence = last
  return stretchesOf(events).map(({ events: [{ type, instance }, ...others], message_seqs, data }) => {
    const count = others.length + 1
    sequence += count
    return {
      ...{ organization_id: 'org_a', epoch: 'e', sequence, count, type, instance_name: instance },
      ...{ created_at: 7, labels_id: null, format: 1, message_seqs, data },
    }
  })
}

const data = fc.oneof(
  fc.constantFrom({}, { attempts: 1, sent_at: 1 }, { attempts: 1, sent_at: 2 }),
  fc.string({ maxLength: 30 }).map((error) => ({ error: `${error}\n` })),
  fc.integer({ min: 700, max: 900 }).map((length) => ({ error: 'é'.repeat(length) })),
)
const instance = fc.constantFrom('first', 'second')
/** Steps that a few messages take at once. */
const someSteps = fc
  .array(fc.record({ instance, taken: fc.subarray([...steps], { minLength: 1 }), data }), { maxLength: 60 })
  .map((messages) =>
    messages.flatMap(({ instance, taken, data }, index) =>
      taken.map((type): NewEvent => {
        const message = {
          seq: instance === 'first' ? 1_000 + index : 900 - index,
          instance: `id-${instance}`,
        }
        return { type, instance, data, message }
      }),
    ),
  )
const others = fc.array(
  fc.record({
    type: fc.constantFrom('message.received', 'message.sent_elsewhere', 'instance.status_changed'),
    instance: fc.option(instance),
    data,
  }),
  { maxLength: 5 },
)
const appended = fc.array(fc.oneof(someSteps, others), { maxLength: 4 }).map((parts) =>
  (parts as readonly NewEvent[][]).flatMap((part, number) =>
    part.map(({ message, ...event }): NewEvent => {
      return message ? { ...event, message: { ...message, seq: message.seq + 10_000 * number } } : event
    }),
  ),
)

test('whatever is appended is read again, numbered without gaps, from any number to any other', () => {
  fc.assert(
    fc.property(appended, fc.nat(300), fc.nat(300), (events, after, until) => {
      const rows = rowsOf(events, 5)
      const all = eventsIn(rows)
      assert.deepEqual(
        all.map(({ sequence }) => sequence),
        events.map((_, index) => 6 + index),
      )
      const shown = (type: string, instance: string | null, seq: number | null, data: string) =>
        JSON.stringify([type, instance, seq, data])
      assert.deepEqual(
        all.map((row) => shown(row.type, row.instance_name, row.message_seq, row.data)).toSorted(),
        events
          .map(({ type, instance, message, data }) =>
            shown(type, instance, message?.seq ?? null, JSON.stringify(data)),
          )
          .toSorted(),
      )
      assert.deepEqual(
        eventsIn(rows, { after, until }),
        all.filter(({ sequence }) => sequence > after && sequence <= until),
      )
    }),
  )
})

test('order is kept of one message, of one type about one instance, and around all that is no step', () => {
  fc.assert(
    fc.property(appended, (events) => {
      const stored = stretchesOf(events.map((event, index) => ({ ...event, data: { index } })))
      const after = stored.flatMap(({ events }) =>
        events.map((event) => ({ ...event, ...(event.data as { readonly index: number }) })),
      )
      const isStep = ({ type, message }: NewEvent) => message !== undefined && steps.includes(type)
      const inPlace = after.filter((event, index) => !isStep(event) && event.index !== index)
      assert.deepEqual(inPlace, [])
      for (const kind of [
        ({ message }: NewEvent) => message && String(message.seq),
        ({ type, message }: NewEvent) => message && `${type} ${message.instance}`,
      ])
        for (const [key, own] of Map.groupBy(after, kind))
          if (key !== undefined)
            assert.ok(
              own.every(({ index }, at) => index > (own[at - 1]?.index ?? -1)),
              key,
            )
    }),
  )
})

test('a stretch has events of one kind, and no more than fits beside others in a tree', () => {
  fc.assert(
    fc.property(appended, (events) => {
      for (const { events: own, data, message_seqs } of stretchesOf(events)) {
        assert.ok(own.length <= maxEvents)
        const kinds = new Set(
          own.map(({ type, instance, message }) => JSON.stringify([type, instance, message?.instance])),
        )
        assert.equal(kinds.size, 1)
        if (own.length > 1) assert.ok(data.length + (message_seqs?.length ?? 0) <= 802)
      }
    }),
  )
})

test('texts that take the same step together are one row, and every step of theirs is one', () => {
  const event = (type: NewEvent['type'], seq: number): NewEvent => {
    return { type, instance: 'first', data: { attempts: 1 }, message: { seq, instance: 'inst_1' } }
  }
  const texts = Array.from({ length: 60 }, (_, index) => 5_000_000 + index)
  const accepted = rowsOf(texts.map((seq) => event('message.queued', seq)))
  assert.deepEqual(
    accepted.map(({ count }) => count),
    [60],
  )
  assert.ok(JSON.stringify(accepted).length < 600)
  const arrived = texts.flatMap((seq) => [event('message.sent', seq), event('message.delivered', seq)])
  assert.deepEqual(
    rowsOf(arrived).map(({ type, count }) => `${count} ${type}`),
    ['60 message.sent', '60 message.delivered'],
  )
})
