import type { Abilities as PublishedAbilities } from '../../contract/resources/network.ts'

/** The abilities of a network, as data that callers see: the laws of the conformance suite follow from it. */
export type DriverAbilities = Readonly<PublishedAbilities>
