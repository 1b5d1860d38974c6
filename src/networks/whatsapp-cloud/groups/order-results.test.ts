import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupPageIn } from './group-reading.ts'
import { OrderResults } from './order-results.ts'

const group_id = 'Y2FwaV9ncm91cDoxNzA1NTU1MDEzOToxMjAzNjM0MDQ2OTQyMzM4MjAZD'
const never = new AbortController().signal

test('of results of orders that are not under way, nothing is kept; of the others, the last twenty', async () => {
  const results = new OrderResults()
  results.tell({ request_id: 'r0', group_id })
  await results.during(async (resultOf) => {
    for (let count = 1; count <= 1_000; count++) results.tell({ request_id: `r${count}`, group_id })
    const told = async (id: string) => (await resultOf(id, AbortSignal.abort()))?.group
    assert.deepEqual(
      [await told('r0'), await told('r980'), await told('r981')],
      [undefined, undefined, group_id],
    )
  })
  await results.during(async (resultOf) => {
    assert.equal(await resultOf('r1000', AbortSignal.abort()), null)
    const later = resultOf('later', never)
    results.tell({ request_id: 'other' })
    results.tell({ request_id: 'later', group_id, errors: [{ code: '131211' }] })
    assert.deepEqual([(await later)?.hasFailed, (await later)?.code], [true, 131_211])
  })
})

test('results may be anything', async () => {
  const results = new OrderResults()
  const odd = [
    {},
    { request_id: 7, errors: 'odd', removed_participants: [7, null, { input: '\0' }, { wa_id: 'x' }] },
    { request_id: 'x'.repeat(10_000) },
    { request_id: '8', group_id: '+4915112345678', errors: [{ code: {} }], group_subject: [] },
  ]
  await results.during(async (resultOf) => {
    for (const about of odd) results.tell(about)
    const seven = await resultOf('7', never)
    assert.deepEqual([seven?.hasFailed, seven?.removed, seven?.group], [false, [], null])
    const eight = await resultOf('8', never)
    assert.deepEqual([eight?.hasFailed, eight?.code, eight?.group, eight?.subject], [true, null, null, null])
  })
})

test('a list of groups is read in both forms that are documented, and what cannot be an address is left out', () => {
  const of = (json: object) => {
    const { groups, next } = groupPageIn(json as Record<string, unknown>)
    return [groups.map(({ address, subject, created_at }) => [address, subject, created_at]), next]
  }
  const found = [[group_id, 'Trip', 1_739_321_024_000]]
  const odd = [{ id: '4915112345678' }, { id: 7 }, {}, 'odd']
  assert.deepEqual(
    of({ data: { groups: [{ id: group_id, subject: 'Trip', created_at: '1739321024' }, ...odd] } }),
    [found, null],
  )
  const paging = { cursors: { after: 'MTAx' }, next: 'https://graph.facebook.com/v26.0/1/groups?after=MTAx' }
  const flat = [{ id: group_id, subject: 'Trip', creation_timestamp: 1_739_321_024 }]
  assert.deepEqual(of({ data: flat, paging }), [found, 'MTAx'])
  assert.deepEqual(of({ data: flat, paging: { cursors: { after: 'MTAx' } } }), [found, null])
  assert.deepEqual(of({}), [[], null])
})
