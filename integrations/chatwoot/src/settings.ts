import { readFileSync } from 'node:fs'

/** The settings of the bridge. Each is an environment variable, or a file that the variable with `_FILE` behind its name points to. */
export interface Settings {
  readonly posthornUrl: string
  readonly posthornKey: string
  /** The name of the instance at Posthorn. */
  readonly instance: string
  readonly chatwootUrl: string
  /** The access token of an agent or administrator of Chatwoot. */
  readonly chatwootToken: string
  readonly accountId: number
  readonly inboxId: number
  /** The secret that signs the webhook of the inbox; undefined if Chatwoot is too old to sign. */
  readonly webhookSecret: string | undefined
  readonly listenHost: string
  readonly listenPort: number
  /** The folder of the bridge's database, and of files on their way. */
  readonly data: string
  /** In bytes, in both directions. */
  readonly maxFileBytes: number
  /** Milliseconds between two looks for replies whose webhook was lost. */
  readonly sweepMs: number
  /** Milliseconds after which a request that Chatwoot did not answer has certainly ended there. */
  readonly settleMs: number
}

/** The settings are incomplete or wrong. The message has a line for each fault. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}

type Environment = Readonly<Record<string, string | undefined>>

/** Reads the settings. Throws a `SettingsError` that names every fault. */
export function readSettings(environment: Environment): Settings {
  const faults: string[] = []
  const optional = (name: string): string | undefined => textOf(environment, name, faults)
  const required = (name: string, meaning: string): string => {
    const value = optional(name)
    if (value === undefined) faults.push(`Set ${name}, or ${name}_FILE: ${meaning}.`)
    return value ?? ''
  }
  const url = (name: string, meaning: string): string => {
    const value = required(name, meaning)
    if (value !== '' && !/^https?:$/.test(URL.parse(value)?.protocol ?? ''))
      faults.push(`${name} must be a URL that begins with https:// or http://.`)
    return value.replace(/\/+$/, '')
  }
  const whole = (name: string, [least, most]: readonly [number, number], value: string | undefined) => {
    const number = Number(value)
    if (
      value !== undefined &&
      value !== '' &&
      !(Number.isInteger(number) && number >= least && number <= most)
    )
      faults.push(`${name} must be a whole number from ${least} to ${most}.`)
    return number
  }
  const id = (name: string, meaning: string) =>
    whole(name, [1, Number.MAX_SAFE_INTEGER], required(name, meaning))
  const settings = {
    posthornUrl: url('POSTHORN_URL', 'the URL of Posthorn'),
    posthornKey: required('POSTHORN_KEY', 'a key of Posthorn with the role send'),
    instance: required('POSTHORN_INSTANCE', 'the name of the instance'),
    chatwootUrl: url('CHATWOOT_URL', 'the URL of Chatwoot'),
    chatwootToken: required('CHATWOOT_TOKEN', 'the access token of an administrator of Chatwoot'),
    accountId: id('CHATWOOT_ACCOUNT', 'the number of the account, as in the address of the page'),
    inboxId: id('CHATWOOT_INBOX', 'the number of the API inbox, as in the address of its settings'),
    webhookSecret: optional('CHATWOOT_WEBHOOK_SECRET'),
    ...listenOf(optional('BRIDGE_LISTEN') ?? '127.0.0.1:8090', faults),
    data: optional('BRIDGE_DATA') ?? 'chatwoot-data',
    maxFileBytes: whole('BRIDGE_MAX_FILE_MB', [1, 1_000], optional('BRIDGE_MAX_FILE_MB') ?? '40') * 1_000_000,
    sweepMs: whole('BRIDGE_SWEEP_SECONDS', [1, 3_600], optional('BRIDGE_SWEEP_SECONDS') ?? '300') * 1_000,
    settleMs: whole('BRIDGE_SETTLE_SECONDS', [1, 600], optional('BRIDGE_SETTLE_SECONDS') ?? '20') * 1_000,
  }
  if (faults.length > 0) throw new SettingsError(faults.join('\n'))
  return settings
}

function textOf(environment: Environment, name: string, faults: string[]): string | undefined {
  const value = environment[name]?.trim()
  const path = environment[`${name}_FILE`]?.trim()
  if (value && path) faults.push(`Set either ${name} or ${name}_FILE, and not both.`)
  if (!path) return value || undefined
  try {
    return readFileSync(path, 'utf8').trim() || undefined
  } catch {
    faults.push(`The file that ${name}_FILE names cannot be read.`)
    return undefined
  }
}

function listenOf(value: string, faults: string[]): Pick<Settings, 'listenHost' | 'listenPort'> {
  const [, host = '', port = ''] = /^\[?([^\]]+?)\]?:(\d{1,5})$/.exec(value) ?? []
  if (host === '' || Number(port) > 65_535)
    faults.push('BRIDGE_LISTEN must be an address and a port, such as 127.0.0.1:8090.')
  return { listenHost: host, listenPort: Number(port) }
}
