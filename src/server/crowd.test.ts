import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Crowd } from './crowd.ts'

test('a crowd counts as somebody does who counts anew each time', () => {
  const steps = fc.array(fc.tuple(fc.boolean(), fc.constantFrom('a', 'b', 'c'), fc.nat(5)))
  fc.assert(
    fc.property(steps, (taken) => {
      const crowd = new Crowd<string>()
      const members: string[] = []
      for (const [comes, party, number] of taken) {
        const member = `${party}${number}`
        const at = members.indexOf(member)
        if (comes) {
          crowd.add(party, member)
          if (at < 0) members.push(member)
        } else {
          assert.equal(crowd.delete(party, member), at >= 0)
          if (at >= 0) members.splice(at, 1)
        }
        const of = (whose: string) => members.filter((each) => each.startsWith(whose))
        assert.equal(crowd.size, members.length)
        assert.deepEqual([...crowd].sort(), members.toSorted())
        for (const whose of ['a', 'b', 'c']) assert.deepEqual([...crowd.of(whose)], of(whose))
        const largest = crowd.largest()
        const most = Math.max(...['a', 'b', 'c'].map((whose) => of(whose).length))
        assert.equal(largest === undefined ? 0 : crowd.sizeOf(largest), most)
      }
    }),
  )
})
