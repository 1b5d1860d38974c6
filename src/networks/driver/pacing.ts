import type { Static } from 'typebox'
import Type from '../../contract/type.ts'
import type { SettingsFault } from './account.ts'
import type { DriverLimits, Pacing, Pausing } from './limits.ts'

/** The longest pause that an instance may have, in seconds. */
const longestPause = 3_600

const seconds = (description: string) => Type.Number({ minimum: 0, maximum: longestPause, description })

/**
 * The pacing of an instance, as callers set it. Generators handle one object with optional fields better than a choice of
 * several.
 */
export const PacingSetting = Type.Object(
  {
    messages: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100_000, description: 'At most this many messages …' }),
    ),
    seconds: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 86_400, description: '… in this many seconds.' }),
    ),
    pause: Type.Optional(
      Type.Object(
        { min_seconds: seconds('The shortest pause.'), max_seconds: seconds('The longest pause.') },
        {
          additionalProperties: false,
          title: 'PacingPause',
          description: 'A pause after each message, of a random length between these.',
        },
      ),
    ),
    warm_up: Type.Optional(
      Type.Boolean({
        description:
          'Whether the pauses are longer while the account was linked only recently, as `warm_up` in the limits of the network says ' +
          '(the default). It goes with `pause`, or alone if the network has a pause of its own.',
      }),
    ),
    off: Type.Optional(Type.Boolean({ description: 'True if messages may leave at any pace.' })),
  },
  {
    additionalProperties: false,
    title: 'Pacing',
    description:
      'How fast messages may be sent, instead of the default of the network, in one of these forms: `{"messages": 5, "seconds": 60}` ' +
      'lets five leave in a minute; `{"pause": {"min_seconds": 1, "max_seconds": 3}}` lets one leave at a time, and then none for 1 to ' +
      '3 seconds; `{"off": true}` sets no limit.',
  },
)
export type PacingSetting = Readonly<Static<typeof PacingSetting>>

type NetworkPacing = Pick<DriverLimits, 'pacing' | 'pause' | 'warm_up'>

/** The pace that follows from what a caller gave and from the defaults of the network. Null for any. */
export function pacingIn(given: PacingSetting = {}, network: NetworkPacing): Pacing | Pausing | null {
  if (given.off) return null
  const { messages, seconds } = given
  if (messages !== undefined && seconds !== undefined) return { messages, seconds }
  const pause = given.pause ?? network.pause
  if (pause) return { ...pause, warm_up: given.warm_up === false ? [] : network.warm_up }
  return network.pacing
}

/** Finds the faults that the schema cannot express: fields that must go together, and fields that exclude each other. */
export function pacingFaults(given: PacingSetting | undefined, network: NetworkPacing): SettingsFault[] {
  if (!given) return []
  const { messages, seconds, pause, warm_up, off } = given
  const isRate = messages !== undefined || seconds !== undefined
  const forms = [isRate, pause !== undefined, off === true].filter(Boolean).length
  const isPaused = pause !== undefined || (forms === 0 && network.pause !== null)
  if (forms > 1 || (forms === 0 && !(isPaused && warm_up !== undefined)) || off === false)
    return fault(
      '',
      'pacing_form',
      'Give messages and seconds, or a pause, or off as true, and only one of them.',
    )
  if (isRate && (messages === undefined || seconds === undefined))
    return fault('', 'pacing_form', 'Messages and seconds go together. Give both.')
  if (warm_up !== undefined && !isPaused)
    return fault('/warm_up', 'pacing_form', 'Only pauses have a warm-up. Leave it out, or give a pause.')
  if (pause && pause.min_seconds > pause.max_seconds)
    return fault('/pause', 'pause_reversed', 'The shortest pause is longer than the longest. Exchange them.')
  return []
}

function fault(field: string, code: string, detail: string): SettingsFault[] {
  return [{ pointer: `/settings/pacing${field}`, code, detail }]
}
