import { nearest } from '../text/suggest.ts'
import { type Environment, readConfigFile } from './config-file.ts'
import { successorOf } from './removed-settings.ts'
import { settings } from './settings.ts'

/** Invalid or unknown settings: a sentence for each says which one it is and what is expected. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

export type SettingName = keyof typeof settings
export type Config = { readonly [N in SettingName]: ReturnType<(typeof settings)[N]['parse']> }

export const settingNames = Object.keys(settings) as SettingName[]

/**
 * Reads the configuration: environment variables, then the file that `POSTHORN_CONFIG` names (lines of `NAME=value`),
 * then the defaults; an empty value counts as not set. Throws a ConfigError that names every invalid value and every
 * name that does not exist.
 */
export function readConfig(environment: Environment): Config {
  const { config, faults } = examineConfig(environment)
  if (faults.length === 1) throw new ConfigError(faults[0])
  if (faults.length > 1) throw new ConfigError(listed(faults))
  return config as Config
}

function listed(faults: readonly string[]): string {
  return [`${faults.length} settings are wrong:`, ...faults.map((fault) => `- ${fault}`)].join('\n')
}

/** Reads the configuration and returns every fault as a sentence, for `posthorn doctor`. */
export function examineConfig(environment: Environment): { config: Partial<Config>; faults: string[] } {
  const file = readConfigFile(environment.POSTHORN_CONFIG)
  const unknown = Object.keys(file.values).filter((name) => !isSetting(name))
  const faults = [
    ...file.faults,
    ...unknown.map((name) => unknownSetting(name, `${name} in ${file.path}`)),
    ...Object.keys(environment)
      .filter(isMistaken)
      .map((name) => unknownSetting(name, name)),
  ]
  const config: { -readonly [N in SettingName]?: unknown } = {}
  for (const name of settingNames) {
    try {
      config[name] = settings[name].parse(environment[name] || file.values[name] || settings[name].default)
    } catch (error) {
      faults.push(`${name} ${(error as Error).message}`)
    }
  }
  const read = config as Partial<Config>
  const days = 'POSTHORN_MESSAGE_RETENTION_DAYS'
  const isSaid = Boolean(environment[days] || file.values[days])
  const together = [...missingForMedia(read), ...halfAnApp(read), ...tooShort(read, isSaid)]
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

/** An app at Meta has a secret and a verify token, and they are not the same. */
function halfAnApp(config: Partial<Config>): string[] {
  const names = ['POSTHORN_WHATSAPP_CLOUD_APP_SECRET', 'POSTHORN_WHATSAPP_CLOUD_VERIFY_TOKEN'] as const
  if (!names.every((name) => name in config)) return []
  const [secret, token] = names
  const isSet = names.filter((name) => config[name] !== undefined)
  if (isSet.length === 1) return [`${isSet[0] === secret ? token : secret} must be set if ${isSet[0]} is`]
  if (isSet.length === 0 || config[secret] !== config[token]) return []
  return [`${token} must be another word than ${secret}, because it is part of a URL that Meta asks for`]
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
function isMistaken(name: string): boolean {
  if (!name.startsWith('POSTHORN_') || name.startsWith('POSTHORN_TEST_')) return false
  return name !== 'POSTHORN_CONFIG' && !isSetting(name)
}

/** What to do about a name that is not a setting. */
function unknownSetting(name: string, where: string): string {
  const successor = successorOf(name)
  if (successor !== undefined) return `${where} was removed: ${successor}`
  const bare = (full: string) => full.replace(/^POSTHORN_/, '')
  const meant = nearest(bare(name), settingNames.map(bare))
  const hint =
    meant === undefined ? 'docs/configuration.md lists them all' : `did you mean POSTHORN_${meant}?`
  return `${where} is not a setting; ${hint}`
}

function isSetting(name: string): boolean {
  return Object.hasOwn(settings, name)
}
