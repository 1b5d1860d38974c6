import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sandbox } from '../sandbox/driver.ts'
import type { Settings } from './account.ts'
import type { Driver } from './driver.ts'
import type { DriverLimits } from './limits.ts'
import { checkSettings, pacingOf } from './settings.ts'

const driver = sandbox()
const warm_up = [{ until_hours: 24, factor: 4 }]
const rate = { messages: 20, seconds: 1 }
const pause = { min_seconds: 1, max_seconds: 3 }

function network(limits: Partial<DriverLimits>): Driver {
  return { ...driver, limits: { ...driver.limits, pacing: null, pause: null, warm_up, ...limits } }
}
const unpaced = network({})
const paced = network({ pacing: rate })
const pausing = network({ pause })

const faultsIn = (of: Driver, pacing: unknown) =>
  checkSettings(of, { pacing }, {}).map(({ pointer, code }) => `${pointer} ${code}`)

test('an instance has the pace of its network, unless it has its own or none', () => {
  const own = { pause: { min_seconds: 5, max_seconds: 5 } }
  const cases: [Driver, Settings['pacing'], unknown][] = [
    [unpaced, undefined, null],
    [paced, undefined, rate],
    [pausing, undefined, { ...pause, warm_up }],
    [paced, { messages: 5, seconds: 60 }, { messages: 5, seconds: 60 }],
    [pausing, { messages: 5, seconds: 60 }, { messages: 5, seconds: 60 }],
    [paced, own, { ...own.pause, warm_up }],
    [pausing, { ...own, warm_up: true }, { ...own.pause, warm_up }],
    [pausing, { ...own, warm_up: false }, { ...own.pause, warm_up: [] }],
    [pausing, { warm_up: false }, { ...pause, warm_up: [] }],
    [paced, { off: true }, null],
    [pausing, { off: true }, null],
  ]
  for (const [of, pacing, wanted] of cases) {
    assert.deepEqual(pacingOf(of, { pacing }), wanted)
    if (pacing !== undefined) assert.deepEqual(faultsIn(of, pacing), [], JSON.stringify(pacing))
  }
})

test('the forms of the setting exclude each other, and none is half given', () => {
  const form = ['/settings/pacing pacing_form']
  for (const pacing of [
    {},
    { messages: 5 },
    { seconds: 5 },
    { ...rate, pause },
    { ...rate, off: true },
    { pause, off: true },
    { off: false },
    { pause, off: false },
    { warm_up: true },
  ])
    assert.deepEqual(faultsIn(unpaced, pacing), form, JSON.stringify(pacing))
  assert.deepEqual(faultsIn(pausing, {}), form)
  for (const any of [unpaced, pausing]) {
    assert.deepEqual(faultsIn(any, { ...rate, warm_up: true }), ['/settings/pacing/warm_up pacing_form'])
    assert.deepEqual(faultsIn(any, { off: true, warm_up: true }), ['/settings/pacing/warm_up pacing_form'])
  }
  const reversed = { min_seconds: 3, max_seconds: 1 }
  assert.deepEqual(faultsIn(unpaced, { pause: reversed }), ['/settings/pacing/pause pause_reversed'])
  for (const wrong of [{ pause: {} }, { pause: { min_seconds: -1, max_seconds: 1 } }, { pause: 3 }, 'off'])
    assert.notDeepEqual(faultsIn(unpaced, wrong), [])
})
