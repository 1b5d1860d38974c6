import type { OutboundGuard } from '../../net/guard/guard.ts'
import type { NameResolver } from '../../net/resolve/names.ts'
import type { Config } from '../../runtime/config/config.ts'
import type { NetworkSettings, SettingTable, ValuesOf } from '../../runtime/config/setting.ts'
import type { Driver } from './driver.ts'

/** Parts of the server that a driver may be made with. */
export interface ServerParts {
  readonly config: Config
  readonly names: NameResolver
  /** Decides where instances may connect to. */
  readonly guard: OutboundGuard
}

/** Everything that a folder of `networks` gives; `index.ts` there exports it as `network`. */
export interface NetworkModule {
  readonly operatorSettings: NetworkSettings
  /**
   * Makes the driver of one server, with the settings that `config` holds for this network. Its code is loaded only now: a command
   * that reads the configuration needs no driver.
   */
  makeDriver(parts: ServerParts): Promise<Driver>
}

/** The same, as a folder declares it. */
export interface NetworkDeclaration<Settings extends SettingTable, TestSettings extends SettingTable> {
  readonly settings?: Settings
  readonly testSettings?: TestSettings
  readonly removed?: NetworkSettings['removed']
  /** See `NetworkSettings.faults`. */
  readonly faults?: (values: Partial<ValuesOf<Settings & TestSettings>>) => readonly string[]
  readonly makeDriver: (values: ValuesOf<Settings & TestSettings>, parts: ServerParts) => Promise<Driver>
}

const none: SettingTable = {}

/** Declares a network. Its driver gets the values of the settings that stand beside it. */
export function defineNetwork<
  const Settings extends SettingTable = typeof none,
  const TestSettings extends SettingTable = typeof none,
>(declared: NetworkDeclaration<Settings, TestSettings>): NetworkModule {
  type Values = ValuesOf<Settings & TestSettings>
  const { settings = none, testSettings = none, removed = {}, faults, makeDriver } = declared
  return {
    operatorSettings: {
      settings,
      testSettings,
      removed,
      faults: (values) => faults?.(values as Partial<Values>) ?? [],
    },
    // A configuration holds the settings of every network, by their names.
    makeDriver: (parts) => makeDriver(parts.config as unknown as Values, parts),
  }
}
