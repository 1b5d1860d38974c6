import assert from 'node:assert/strict'
import type { GroupAbility } from '../../../../src/contract/statuses.ts'
import type { GroupActions } from '../../../../src/networks/driver/abilities/groups.ts'
import { law, present } from '../fixture.ts'
import type { Harness } from '../harness.ts'

/** The function of the connection by which each ability is used. */
const functionOf: Readonly<Record<GroupAbility, keyof GroupActions>> = {
  list: 'list',
  get: 'get',
  create: 'create',
  join: 'join',
  rename: 'rename',
  describe: 'describe',
  add: 'changeMembers',
  remove: 'changeMembers',
  promote: 'changeMembers',
  demote: 'changeMembers',
  invite_link: 'inviteLink',
  approval: 'create',
  list_requests: 'listRequests',
  decide_requests: 'answerRequests',
  leave: 'leave',
}

/** Laws of groups, on a network that declares abilities for them. */
export function groupLaws(harness: Harness): void {
  const { groups: features, isGroup } = harness.driver
  if (!features) return
  const { signal } = new AbortController()
  law(harness, 'there is a function for each ability of groups, and none beyond', async (fixture) => {
    const session = await fixture.open()
    const groups = present(session.connection.groups)
    const declared = new Set(features.abilities.map((ability) => functionOf[ability]))
    for (const name of new Set(Object.values(functionOf)))
      assert.equal(typeof groups[name] === 'function', declared.has(name), name)
    assert.ok(features.pace.count > 0 && features.pace.seconds > 0)
  })
  law(harness, 'a person is no group, and a closed connection has done nothing', async (fixture) => {
    const session = await fixture.open()
    const person = await harness.newRecipient(() => {})
    assert.equal(present(isGroup)(person), false)
    const groups = present(session.connection.groups)
    await session.close()
    if (!features.abilities.includes('leave')) return
    const answer = await present(groups.leave).call(groups, person, signal)
    assert.ok(answer.kind !== 'done' && !(answer.kind === 'unanswered' && answer.mayBeDone), answer.kind)
  })
  if (!features.abilities.includes('list')) return
  law(harness, 'groups are listed under addresses of groups, as many as were asked for', async (fixture) => {
    const session = await fixture.open()
    const groups = present(session.connection.groups)
    const list = present(groups.list).bind(groups)
    const seen = new Set<string>()
    for (let after: string | null = null, pages = 0; pages < 5; pages++) {
      const answer = await list({ limit: 1, after }, signal)
      assert.ok(answer.kind === 'done', answer.kind)
      assert.ok(answer.value.groups.length <= 1)
      for (const { address } of answer.value.groups) {
        assert.equal(present(isGroup)(address), true)
        assert.deepEqual(harness.driver.parseAddress(address), { ok: true, address })
        assert.ok(!seen.has(address), 'none twice')
        seen.add(address)
      }
      after = answer.value.next
      if (after === null) break
    }
    // A place comes from a caller, and may be anything.
    const strange = await list({ limit: 1, after: '!no-place!' }, signal)
    assert.ok(strange.kind === 'done' || strange.kind === 'rejected', strange.kind)
  })
}
