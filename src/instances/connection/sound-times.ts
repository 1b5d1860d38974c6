import type { Observation } from '../../networks/driver/observation.ts'
import { isMoment } from '../../runtime/clock.ts'

/**
 * Returns an observation that can be stored and shown, even if the network sent unsound times: the end of a restriction that
 * is no moment becomes unknown, and any other such time becomes now.
 */
export function withSoundTimes(observation: Observation, now: number): Observation {
  const sound = (at: number) => (isMoment(at) ? at : now)
  switch (observation.kind) {
    case 'restriction': {
      const { restriction } = observation
      if (!restriction) return observation
      const { since, ends_at } = restriction
      const end = ends_at !== null && isMoment(ends_at) ? ends_at : null
      return { ...observation, restriction: { ...restriction, since: sound(since), ends_at: end } }
    }
    case 'message-received':
    case 'message-sent-elsewhere':
      return isMoment(observation.at) ? observation : { ...observation, at: now }
    case 'link-step': {
      const { step } = observation
      return { ...observation, step: { ...step, expires_at: sound(step.expires_at) } }
    }
    default:
      return observation
  }
}
