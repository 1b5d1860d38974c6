import Type, { type TObject, type TObjectOptions } from 'typebox'
import type { InvalidValue } from '../contract/problem.ts'
import { type Validate, validator } from '../contract/validate.ts'
import type { Credentials, Driver, Pacing, Settings } from './driver.ts'

const PacingSetting = Type.Optional(
  Type.Object(
    {
      messages: Type.Integer({ minimum: 1, maximum: 100_000, description: 'At most this many messages …' }),
      seconds: Type.Integer({ minimum: 1, maximum: 86_400, description: '… in this many seconds.' }),
    },
    {
      additionalProperties: false,
      title: 'Pacing',
      description:
        'How fast messages may be sent, instead of the default of the network: `{"messages": 5, "seconds": 60}` lets five leave in a minute.',
    },
  ),
)

/** The settings of an instance: those of its network, and those of every network. */
export function settingsSchema(driver: Driver): TObject {
  const { properties, ...options } = driver.settings as TObject & TObjectOptions
  return Type.Object({ ...properties, pacing: PacingSetting }, { ...options, additionalProperties: false })
}

/** The pace at which an instance sends: its own, or that of its network. */
export function pacingOf(driver: Driver, settings: Settings): Pacing | null {
  return (settings.pacing as Pacing | undefined) ?? driver.limits.pacing
}

/** For how long an instance may answer somebody who wrote, in milliseconds; null for any time. */
export function replyWindowOf(driver: Driver, settings: Settings): number | null {
  const { replyWindowIn, abilities } = driver
  const seconds = replyWindowIn ? replyWindowIn(settings) : abilities.reply_window_seconds
  return seconds === null ? null : seconds * 1000
}

const validators = new WeakMap<Driver, { settings: Validate; credentials: Validate }>()

/** Lists every fault in settings and credentials. */
export function checkSettings(driver: Driver, settings: Settings, credentials: Credentials): InvalidValue[] {
  let check = validators.get(driver)
  if (!check) {
    check = {
      settings: validator(settingsSchema(driver), '/settings'),
      credentials: validator(driver.credentials, '/credentials'),
    }
    validators.set(driver, check)
  }
  const faults = [...check.settings(settings), ...check.credentials(credentials)]
  return faults.length > 0 ? faults : [...driver.check(settings, credentials)]
}
