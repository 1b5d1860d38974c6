import { type Config, examineSettings, namesOf, readSettings } from '../runtime/config/config.ts'
import type { Environment } from '../runtime/config/config-file.ts'
import { groupSettings } from '../runtime/config/settings.ts'
import { networks } from './networks.ts'

const ofNetworks = networks.map(({ operatorSettings }) => operatorSettings)

/** All settings, grouped as docs/configuration.md lists them. */
export const settingGroups = groupSettings(ofNetworks)

/** The names of all settings. */
export const settingNames = namesOf(ofNetworks)

/** Reads the configuration: see `readSettings`. */
export function readConfig(environment: Environment): Config {
  return readSettings(environment, ofNetworks)
}

/** Reads the configuration and returns every fault as a sentence, for `posthorn doctor`. */
export function examineConfig(environment: Environment): { config: Partial<Config>; faults: string[] } {
  return examineSettings(environment, ofNetworks)
}
