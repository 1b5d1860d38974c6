import { nearest } from '../text/suggest.ts'
import { type Environment, readConfigFile } from './config-file.ts'
import { readNamedSecret } from './named-secret.ts'
import { whyMissing } from './optional-package.ts'
import { removedSettings } from './removed-settings.ts'
import type { NetworkSettings, Setting, SettingTable } from './setting.ts'
import { operatorSettings } from './settings.ts'

/** Invalid or unknown settings: a sentence for each says which one it is and what is expected. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

export type SettingName = keyof typeof operatorSettings
export type Config = { readonly [N in SettingName]: ReturnType<(typeof operatorSettings)[N]['parse']> }

/** Every setting that there is, and every one that there was. */
interface KnownSettings {
  readonly table: SettingTable
  readonly removed: Readonly<Record<string, string>>
}

function knownWith(networks: readonly NetworkSettings[]): KnownSettings {
  const tables = networks.flatMap((network) => [network.settings, network.testSettings])
  return {
    table: Object.assign({}, operatorSettings, ...tables),
    removed: Object.assign({}, removedSettings, ...networks.map(({ removed }) => removed)),
  }
}

/** The names of all settings, with those of these networks. */
export function namesOf(networks: readonly NetworkSettings[]): readonly string[] {
  return Object.keys(knownWith(networks).table)
}

/**
 * Reads the configuration: environment variables, then the file that `POSTHORN_CONFIG` names (lines of `NAME=value`),
 * then the defaults; an empty value counts as not set. It has the settings of these networks, too, which read them by their
 * names. Throws a ConfigError that names every invalid value and every name that does not exist.
 */
export function readSettings(environment: Environment, networks: readonly NetworkSettings[]): Config {
  const { config, faults } = examineSettings(environment, networks)
  if (faults.length === 1) throw new ConfigError(faults[0])
  if (faults.length > 1) throw new ConfigError(listed(faults))
  return config as Config
}

function listed(faults: readonly string[]): string {
  return [`${faults.length} settings are wrong:`, ...faults.map((fault) => `- ${fault}`)].join('\n')
}

/** Reads the configuration and returns every fault as a sentence. */
export function examineSettings(
  environment: Environment,
  networks: readonly NetworkSettings[],
): { config: Partial<Config>; faults: string[] } {
  const known = knownWith(networks)
  const file = readConfigFile(environment.POSTHORN_CONFIG)
  const unknown = Object.keys(file.values).filter((name) => !isKnown(known.table, name))
  const faults = [
    ...file.faults,
    ...unknown.map((name) => unknownSetting(known, name, `${name} in ${file.path}`)),
    ...Object.keys(environment)
      .filter((name) => isMistaken(known, name))
      .map((name) => unknownSetting(known, name, name)),
  ]
  const config: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries(known.table)) {
    try {
      config[name] = setting.parse(textOf(name, setting, [environment, file.values]))
    } catch (error) {
      faults.push(`${name} ${(error as Error).message}`)
    }
  }
  const read = config as Partial<Config>
  const days = 'POSTHORN_MESSAGE_RETENTION_DAYS'
  const isSaid = Boolean(environment[days] || file.values[days])
  const together = [
    ...missingForMedia(read),
    ...missingPackages(read),
    ...networks.flatMap((network) => network.faults(config)),
    ...tooShort(read, isSaid),
  ]
  return { config: read, faults: [...faults, ...together] }
}

/** The settings that the media store needs and that are missing. */
function missingForMedia(config: Partial<Config>): string[] {
  const needed: Record<string, readonly SettingName[]> = {
    postgres: ['POSTHORN_DATABASE_URL'],
    s3: ['POSTHORN_S3_BUCKET', 'POSTHORN_S3_ACCESS_KEY_ID', 'POSTHORN_S3_SECRET_ACCESS_KEY'],
  }
  const place = config.POSTHORN_MEDIA_STORE ?? 'files'
  // An invalid setting is not missing, and was already reported.
  const missing = (needed[place] ?? []).filter((name) => name in config && config[name] === undefined)
  return missing.map((name) => `${name} must be set if POSTHORN_MEDIA_STORE is ${place}`)
}

/** The packages that the settings need and that were left out. */
function missingPackages({ POSTHORN_DATABASE_URL, POSTHORN_MEDIA_STORE }: Partial<Config>): string[] {
  return [
    POSTHORN_DATABASE_URL === undefined ? undefined : whyMissing('pg', 'POSTHORN_DATABASE_URL'),
    POSTHORN_MEDIA_STORE === 's3' ? whyMissing('@aws-sdk/client-s3', 'POSTHORN_MEDIA_STORE=s3') : undefined,
  ].filter((fault) => fault !== undefined)
}

/** Events refer to their messages. So by default messages are kept at least as long as events. */
function tooShort(config: Partial<Config>, isSaid: boolean): string[] {
  const { POSTHORN_MESSAGE_RETENTION_DAYS: messages, POSTHORN_EVENT_RETENTION_DAYS: events } = config
  if (messages === undefined || events === undefined || messages >= events || !isSaid) return []
  return [
    `POSTHORN_MESSAGE_RETENTION_DAYS must be at least POSTHORN_EVENT_RETENTION_DAYS, which is ${events}`,
  ]
}

/** Unknown names with our prefix. Those of the tests are inherited by servers that tests start, and are ignored. */
function isMistaken({ table }: KnownSettings, name: string): boolean {
  if (!name.startsWith('POSTHORN_') || name.startsWith('POSTHORN_TEST_')) return false
  return name !== 'POSTHORN_CONFIG' && !isKnown(table, name)
}

/** True for a setting, and for one that names the file of a secret. */
function isKnown(table: SettingTable, name: string): boolean {
  return (
    Object.hasOwn(table, name) || (name.endsWith('_FILE') && isSecret(table, name.slice(0, -'_FILE'.length)))
  )
}

const isSecret = (table: SettingTable, name: string) =>
  Object.hasOwn(table, name) && table[name]?.isSecret === true

/** The text of a setting, from the first of these sources that has it, or its file if it is a secret. */
function textOf(name: string, setting: Setting<unknown>, sources: readonly Environment[]): string {
  const naming = `${name}_FILE`
  for (const source of sources) {
    const { [name]: text, [naming]: path } = setting.isSecret ? source : { [name]: source[name] }
    if (text && path) throw new Error(`and ${naming} are both set; remove one of them`)
    if (text) return text
    if (path) return readNamedSecret(path, naming)
  }
  return setting.default
}

/** Says what to do about a name that is not a setting. */
function unknownSetting({ table, removed }: KnownSettings, name: string, where: string): string {
  const successor = Object.hasOwn(removed, name) ? removed[name] : undefined
  if (successor !== undefined) return `${where} was removed: ${successor}`
  const bare = (full: string) => full.replace(/^POSTHORN_/, '')
  const meant = nearest(bare(name), Object.keys(table).map(bare))
  const hint =
    meant === undefined ? 'docs/configuration.md lists them all' : `did you mean POSTHORN_${meant}?`
  return `${where} is not a setting; ${hint}`
}
