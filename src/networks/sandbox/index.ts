import { defineNetwork } from '../driver/network.ts'
import { testSettings } from './operator-settings.ts'

export const network = defineNetwork({
  testSettings,
  async makeDriver({ POSTHORN_SANDBOX_TRANSCRIPT: transcript }) {
    const { sandbox } = await import('./driver.ts')
    return sandbox(transcript === undefined ? {} : { transcript })
  },
})
