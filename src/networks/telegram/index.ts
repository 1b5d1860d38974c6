import { defineNetwork } from '../driver/network.ts'
import { settings } from './operator-settings.ts'

export const network = defineNetwork({
  settings,
  async makeDriver({ POSTHORN_TELEGRAM_API: baseUrl }, { config }) {
    const { telegram } = await import('./driver.ts')
    const serverUrl = config.POSTHORN_BASE_URL
    return telegram({ baseUrl, ...(serverUrl !== undefined && { serverUrl }) })
  },
})
