import { defineNetwork } from '../driver/network.ts'
import { whatsappCloud } from './driver.ts'
import { appIn, faults, settings, testSettings } from './operator-settings.ts'

export const network = defineNetwork({
  settings,
  testSettings,
  faults,
  makeDriver(values) {
    return whatsappCloud({ baseUrl: values.POSTHORN_WHATSAPP_CLOUD_API, app: appIn(values) })
  },
})
