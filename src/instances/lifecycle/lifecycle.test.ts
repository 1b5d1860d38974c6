import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { statusAfter } from '../../contract/codes.ts'
import { type InstanceStatus, instanceStatuses, instanceStatusMeanings } from '../../contract/statuses.ts'
import { describeLifecycle, lifecycleDocument, writeLifecycleHint } from './lifecycle.doc.ts'
import { type Input, inputs, isUnderway, type LifecycleEffect, lifecycle } from './lifecycle.ts'

const orders: readonly Input[] = ['start', 'stop', 'restart', 'remove']
const resting: readonly InstanceStatus[] = ['logged_out', 'stopped', 'failed']

/** An instance as its runner sees it: what was done about each input. */
class Life {
  status: InstanceStatus = 'connecting'
  /** Creating an instance opens its connection. */
  connected = true
  scheduled = false
  undoing = false
  erased = false
  /** The last order but removal. */
  wanted: 'running' | 'stopped' = 'running'
  readonly done: LifecycleEffect[] = []

  take(input: Input): void {
    const [next, ...effects] = lifecycle[this.status][input]
    if (orders.includes(input) && input !== 'remove') this.wanted = input === 'stop' ? 'stopped' : 'running'
    this.status = next
    for (const effect of effects) this.#perform(effect)
  }

  /**
   * True if an input can happen: a connection that is not there shows nothing, and nothing is due that was not scheduled.
   */
  mayHappen(input: Input): boolean {
    if (this.erased) return false
    if (orders.includes(input)) return true
    if (input === 'attempt-due') return this.scheduled
    if (input === 'removal-confirmed' || input === 'removal-failed') return this.undoing
    return this.connected
  }

  #perform(effect: LifecycleEffect): void {
    this.done.push(effect)
    if (effect === 'connect') {
      assert.ok(!this.connected, 'a second connection is opened beside the first')
      this.connected = true
      this.scheduled = false
    } else if (effect === 'disconnect') {
      this.connected = false
      this.scheduled = false
    } else if (effect === 'schedule-attempt') {
      assert.ok(!this.scheduled, 'two attempts are scheduled')
      this.scheduled = true
    } else if (effect === 'undo') {
      this.undoing = true
    } else {
      this.erased = true
    }
  }
}

const stories = fc.array(fc.constantFrom(...inputs), { maxLength: 60, size: 'max' })

/** Plays what can happen of a story, and looks after each step. */
function everyLife(
  look: (life: Life, input: Input, before: InstanceStatus, did: readonly LifecycleEffect[]) => void,
): void {
  const property = fc.property(stories, (story) => {
    const life = new Life()
    for (const input of story) {
      if (!life.mayHappen(input)) continue
      const before = life.status
      const done = life.done.length
      life.take(input)
      look(life, input, before, life.done.slice(done))
    }
  })
  fc.assert(property, { numRuns: 1_000 })
}

describe('the table', () => {
  test('is total and closed: every status has a move for every input, to a status that there is', () => {
    assert.deepEqual(Object.keys(lifecycle).toSorted(), [...instanceStatuses].toSorted())
    for (const status of instanceStatuses) {
      assert.deepEqual(Object.keys(lifecycle[status]).toSorted(), [...inputs].toSorted(), status)
      for (const input of inputs) assert.ok(instanceStatuses.includes(lifecycle[status][input][0]))
    }
  })

  test('a connection ends in the status that the reference tells', () => {
    for (const [ending, status] of Object.entries(statusAfter)) {
      for (const before of ['connecting', 'awaiting_link', 'connected'] as const)
        assert.equal(lifecycle[before][ending as Input][0], status)
    }
  })

  test('every status can be reached, and every status but deleting can be removed from', () => {
    const reached = new Set<InstanceStatus>(['connecting'])
    for (const status of reached) for (const input of inputs) reached.add(lifecycle[status][input][0])
    assert.equal(reached.size, instanceStatuses.length)
    for (const status of instanceStatuses) assert.equal(lifecycle[status].remove[0], 'deleting')
  })

  test('what is shown late, of a connection that is gone, changes nothing', () => {
    for (const status of resting)
      for (const input of inputs)
        if (!orders.includes(input)) assert.deepEqual(lifecycle[status][input], [status])
    const late = ['opened', 'verified', 'lost'].map((what) => `connection-${what}` as Input)
    for (const input of [...late, 'link-step', 'link-expired'] as const)
      assert.deepEqual(lifecycle.reconnecting[input], ['reconnecting'])
  })

  test('a confirmed logout leaves no connection, and only an order follows it', () => {
    for (const status of ['connecting', 'awaiting_link', 'connected', 'reconnecting'] as const)
      assert.deepEqual(lifecycle[status]['logout-confirmed'], ['logged_out', 'disconnect'])
    assert.deepEqual(lifecycle.deleting['logout-confirmed'], ['deleting'])
  })

  test('the drawing in the documentation is of this table', () => {
    const drawn = readFileSync(lifecycleDocument, 'utf8')
    assert.equal(
      drawn,
      describeLifecycle(),
      `docs/instance-lifecycle.md is out of date: run ${writeLifecycleHint}`,
    )
  })
})

describe('whatever happens, in whatever order', () => {
  test('there is never a second connection, nor a second attempt scheduled', () => {
    everyLife((life) => assert.ok(!(life.connected && life.scheduled && life.status !== 'deleting')))
  })

  test('connected is only what a connection has opened, and only while it lasts', () => {
    everyLife((life, input, before) => {
      if (life.status === 'connected') assert.ok(life.connected)
      if (life.status === 'connected' && before !== 'connected') assert.equal(input, 'connection-opened')
    })
  })

  test('an instance at rest has no connection and does nothing unless it is ordered to', () => {
    everyLife((life, input, before, did) => {
      if (resting.includes(life.status)) assert.ok(!life.connected && !life.scheduled)
      if (!resting.includes(before) || orders.includes(input)) return
      assert.equal(life.status, before)
      assert.deepEqual(did, [])
    })
  })

  test('after a stop nothing connects until a start or a restart', () => {
    everyLife((life, _input, before, did) => {
      if (life.wanted === 'running' || before === 'deleting') return
      assert.ok(!did.includes('connect') && !did.includes('schedule-attempt'))
    })
  })

  test('an instance that is being removed stays so until it is erased, and only then is erased', () => {
    everyLife((life, input, before, did) => {
      if (before === 'deleting') assert.equal(life.status, 'deleting')
      if (did.includes('erase')) assert.equal(before, 'deleting')
      if (before === 'deleting' && orders.includes(input)) assert.deepEqual(did, [])
    })
  })

  test('whoever waits is waiting for something: a connection that answers, or an attempt that is due', () => {
    everyLife((life) => {
      if (life.status === 'connecting' || life.status === 'awaiting_link') assert.ok(life.connected)
      if (life.status === 'reconnecting') assert.ok(life.scheduled)
      if (isUnderway(life.status)) assert.equal(instanceStatusMeanings[life.status].action, 'wait')
    })
  })

  test('a restart leaves every status but deleting with a fresh connection', () => {
    for (const status of instanceStatuses) {
      const [next, ...effects] = lifecycle[status].restart
      if (status === 'deleting') continue
      assert.equal(next, 'connecting')
      assert.equal(effects.at(-1), 'connect')
      assert.equal(effects.includes('disconnect'), !resting.includes(status), status)
    }
  })
})
