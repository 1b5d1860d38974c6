import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { MembersByParty } from './members-by-party.ts'

test('members by party are what somebody finds who counts them anew each time', () => {
  const steps = fc.array(fc.tuple(fc.boolean(), fc.constantFrom('a', 'b', 'c'), fc.nat(5)))
  fc.assert(
    fc.property(steps, (taken) => {
      const byParty = new MembersByParty<string>()
      const members: string[] = []
      for (const [comes, party, number] of taken) {
        const member = `${party}${number}`
        const at = members.indexOf(member)
        if (comes) {
          byParty.add(party, member)
          if (at < 0) members.push(member)
        } else {
          assert.equal(byParty.delete(party, member), at >= 0)
          if (at >= 0) members.splice(at, 1)
        }
        const of = (whose: string) => members.filter((each) => each.startsWith(whose))
        assert.equal(byParty.size, members.length)
        assert.deepEqual([...byParty].sort(), members.toSorted())
        for (const whose of ['a', 'b', 'c']) assert.deepEqual([...byParty.of(whose)], of(whose))
        const largest = byParty.largest()
        const most = Math.max(...['a', 'b', 'c'].map((whose) => of(whose).length))
        assert.equal(largest === undefined ? 0 : byParty.sizeOf(largest), most)
      }
    }),
  )
})
