import type { NetworkSettings, SettingTable } from './setting.ts'
import { fileSettings } from './settings/file-settings.ts'
import { networkSettings } from './settings/network-settings.ts'
import { organizationSettings } from './settings/organization-settings.ts'
import { outboundSettings } from './settings/outbound-settings.ts'
import { retentionSettings } from './settings/retention-settings.ts'
import { secretSettings } from './settings/secret-settings.ts'
import { servingSettings } from './settings/serving-settings.ts'
import { allTestSettings } from './settings/test-settings.ts'

/** Settings for one purpose; the title is a heading of docs/configuration.md. */
export interface SettingGroup {
  readonly title: string
  readonly operatorSettings: SettingTable
}

/** All settings, with those of these networks, grouped as docs/configuration.md lists them. */
export function groupSettings(networks: readonly NetworkSettings[]): readonly SettingGroup[] {
  const ofNetworks: SettingTable = Object.assign({}, ...networks.map((network) => network.settings))
  const forTests: SettingTable = Object.assign({}, ...networks.map((network) => network.testSettings))
  return [
    { title: 'Run the server', operatorSettings: servingSettings },
    { title: 'Set your own secrets', operatorSettings: secretSettings },
    { title: 'Reach private addresses', operatorSettings: outboundSettings },
    { title: 'Connect to networks', operatorSettings: { ...networkSettings, ...ofNetworks } },
    { title: 'Limit organizations', operatorSettings: organizationSettings },
    { title: 'Keep things for longer or shorter', operatorSettings: retentionSettings },
    { title: 'Store files elsewhere', operatorSettings: fileSettings },
    { title: 'For tests only', operatorSettings: { ...allTestSettings, ...forTests } },
  ]
}

/** The settings that are not for one network only, by the names of their environment variables. */
export const operatorSettings = {
  ...servingSettings,
  ...secretSettings,
  ...outboundSettings,
  ...networkSettings,
  ...organizationSettings,
  ...retentionSettings,
  ...fileSettings,
  ...allTestSettings,
} as const
