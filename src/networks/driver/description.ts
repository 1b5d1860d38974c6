import type { NetworkDescription } from '../../contract/network-description.ts'
import type { Driver } from './driver.ts'
import { networkSettingsSchema } from './settings.ts'

/**
 * Returns the description of a network for callers: that of its driver, with the settings that instances of every network
 * have, and with the abilities that follow from what it declares.
 */
export function descriptionOf(driver: Driver): NetworkDescription {
  const { groups } = driver
  const limits = {
    ...driver.limits,
    group_subject_length: subjectLengthOf(driver),
    group_description_length: groups?.abilities.includes('describe') ? (groups.maxDescription ?? 0) : 0,
  }
  return { ...driver, settings: networkSettingsSchema(driver), abilities: abilitiesOf(driver), limits }
}

function abilitiesOf({
  abilities,
  linking,
  templates,
  callbacks,
  addressChecks,
  groups,
}: Driver): NetworkDescription['abilities'] {
  return {
    ...abilities,
    links: [...(linking?.kinds ?? [])],
    logs_out: linking !== undefined,
    templates: templates !== undefined,
    callbacks: callbacks !== undefined,
    groups: [...(groups?.abilities ?? [])],
    checks_addresses: addressChecks !== undefined,
    typing: abilities.typing !== undefined,
    pictures: abilities.pictures ?? false,
  }
}

function subjectLengthOf({ groups }: Driver): number {
  const isWritten = groups?.abilities.some((ability) => ability === 'create' || ability === 'rename')
  return groups && isWritten ? groups.maxSubject : 0
}
