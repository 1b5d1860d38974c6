import { defineNetwork } from '../driver/network.ts'
import { telegram } from './driver.ts'
import { settings } from './operator-settings.ts'

export const network = defineNetwork({
  settings,
  makeDriver({ POSTHORN_TELEGRAM_API: baseUrl }, { config }) {
    const serverUrl = config.POSTHORN_BASE_URL
    return telegram({ baseUrl, ...(serverUrl !== undefined && { serverUrl }) })
  },
})
