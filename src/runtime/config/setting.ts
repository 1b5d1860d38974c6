/** One setting: what it is called in the environment stands beside it. */
export interface Setting<T> {
  /** As shown in the table of docs/configuration.md; empty if there is none. */
  readonly default: string
  readonly description: string
  /** A secret may stand in a file, too, which the setting `NAME_FILE` names. */
  readonly isSecret?: boolean
  /** Reads the text; throws a sentence that completes "NAME …" when it does not fit. */
  parse(text: string): T
}

/** Makes a setting; `fallback` is its text if the operator does not set it. */
export function setting<T>(fallback: string, description: string, parse: (text: string) => T): Setting<T> {
  return { default: fallback, description, parse }
}

/** Makes a setting that is a secret; it has no value if the operator does not set it. */
export function secretSetting<T>(description: string, parse: (text: string) => T): Setting<T | undefined> {
  return {
    default: '',
    description,
    isSecret: true,
    parse: (text) => (text === '' ? undefined : parse(text)),
  }
}

/** Settings by the names of their environment variables. */
export type SettingTable = Readonly<Record<string, Setting<unknown>>>

/** Values of the settings of a table, once they are read. */
export type ValuesOf<T extends SettingTable> = { readonly [Name in keyof T]: ReturnType<T[Name]['parse']> }

/** Settings that are for one network only. */
export interface NetworkSettings {
  /** Those that operators choose. */
  readonly settings: SettingTable
  /** Those that only tests change. */
  readonly testSettings: SettingTable
  /** Settings of earlier versions, and what replaced each of them: a sentence that completes "NAME was removed: …". */
  readonly removed: Readonly<Record<string, string>>
  /** Returns a sentence for each mistake in how the settings fit each other. An invalid setting is missing: it was reported already. */
  faults(values: Readonly<Record<string, unknown>>): readonly string[]
}
