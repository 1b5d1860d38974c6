import type { Setting } from './setting.ts'
import { fileSettings } from './settings/file-settings.ts'
import { networkSettings } from './settings/network-settings.ts'
import { organizationSettings } from './settings/organization-settings.ts'
import { outboundSettings } from './settings/outbound-settings.ts'
import { retentionSettings } from './settings/retention-settings.ts'
import { secretSettings } from './settings/secret-settings.ts'
import { servingSettings } from './settings/serving-settings.ts'
import { testSettings } from './settings/test-settings.ts'

/** Settings for one purpose; the title is a heading of docs/configuration.md. */
export interface SettingGroup {
  readonly title: string
  readonly settings: Readonly<Record<string, Setting<unknown>>>
}

/** All settings, grouped as docs/configuration.md lists them. */
export const settingGroups: readonly SettingGroup[] = [
  { title: 'Run the server', settings: servingSettings },
  { title: 'Set your own secrets', settings: secretSettings },
  { title: 'Reach private addresses', settings: outboundSettings },
  { title: 'Connect to networks', settings: networkSettings },
  { title: 'Limit organizations', settings: organizationSettings },
  { title: 'Keep things for longer or shorter', settings: retentionSettings },
  { title: 'Store files elsewhere', settings: fileSettings },
  { title: 'For tests only', settings: testSettings },
]

/** All settings, by the names of their environment variables. */
export const settings = {
  ...servingSettings,
  ...secretSettings,
  ...outboundSettings,
  ...networkSettings,
  ...organizationSettings,
  ...retentionSettings,
  ...fileSettings,
  ...testSettings,
} as const
