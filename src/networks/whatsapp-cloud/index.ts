import { defineNetwork } from '../driver/network.ts'
import { appIn, faults, settings, testSettings } from './operator-settings.ts'

export const network = defineNetwork({
  settings,
  testSettings,
  faults,
  async makeDriver(values) {
    const { whatsappCloud } = await import('./driver.ts')
    return whatsappCloud({ baseUrl: values.POSTHORN_WHATSAPP_CLOUD_API, app: appIn(values) })
  },
})
