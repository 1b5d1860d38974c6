import type { TObject, TObjectOptions } from 'typebox'
import type { InvalidValue } from '../../contract/problem.ts'
import Type from '../../contract/type.ts'
import { type Validate, validator } from '../../contract/validate.ts'
import type { SealedCredentials, Settings } from './account.ts'
import type { Driver } from './driver.ts'
import type { Pacing, Pausing } from './limits.ts'
import { PacingSetting, pacingFaults, pacingIn } from './pacing.ts'

/** The settings of an instance: those of its network, and those of every network. */
export function networkSettingsSchema(driver: Driver): TObject {
  const { properties, ...options } = driver.settings as TObject & TObjectOptions
  return Type.Object(
    { ...properties, pacing: Type.Optional(PacingSetting) },
    { ...options, additionalProperties: false },
  )
}

/** The pace at which an instance sends: its own, or that of its network. Null for any. */
export function pacingOf({ limits }: Driver, { pacing }: Settings): Pacing | Pausing | null {
  return pacingIn(pacing as PacingSetting | undefined, limits)
}

/** Returns the milliseconds for which an instance may answer a person after their message; null for any time. */
export function replyWindowOf(driver: Driver, settings: Settings): number | null {
  const seconds = settings.reply_window_seconds ?? driver.abilities.reply_window_seconds
  return typeof seconds === 'number' ? seconds * 1000 : null
}

const validators = new WeakMap<Driver, { settings: Validate; credentials: Validate }>()

/** Lists every fault in settings and credentials. */
export function checkSettings(
  driver: Driver,
  settings: Settings,
  credentials: SealedCredentials,
): InvalidValue[] {
  let check = validators.get(driver)
  if (!check) {
    check = {
      settings: validator(networkSettingsSchema(driver), '/settings'),
      credentials: validator(driver.credentials, '/credentials'),
    }
    validators.set(driver, check)
  }
  const faults = [...check.settings(settings), ...check.credentials(credentials)]
  if (faults.length > 0) return faults
  const pacing = pacingFaults(settings.pacing as PacingSetting | undefined, driver.limits)
  return [...pacing, ...driver.check(settings, credentials)]
}
