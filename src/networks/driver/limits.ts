import type { Pace, Pause, Limits as PublishedLimits, WarmUp } from '../../contract/resources/network.ts'

/**
 * The limits of the network, as data that callers see: enforced by the outbox, never by the driver. Those of groups are in `GroupFeatures`.
 *
 * More than one message may be in flight for one recipient only if the network handles the texts of one connection in order, and
 * answers in order, too: once it has accepted one, those before it have their answers (docs/decisions/0038). An attempt that is
 * not answered in time is given up: it counts as uncertain, and no longer as in flight; a file gets, in addition, the time that it
 * needs at `slowestTransfer`. If as many attempts of a connection were given up as may be in flight, the connection is closed, so
 * that nothing accumulates in it.
 */
export type DriverLimits = Readonly<
  Omit<PublishedLimits, 'group_subject_length' | 'group_description_length'>
>

/** The slowest transfer of a file for which an attempt gets more time, in bytes a millisecond. */
export const slowestTransfer = 100

/** At most so many messages in so many seconds. */
export type Pacing = Readonly<Pace>

/** A random pause after each message, and how much longer it is while the account was linked only recently. */
export interface Pausing extends Readonly<Pause> {
  readonly warm_up: readonly Readonly<WarmUp>[]
}
