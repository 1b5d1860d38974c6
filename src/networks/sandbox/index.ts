import { defineNetwork } from '../driver/network.ts'
import { sandbox } from './driver.ts'
import { testSettings } from './operator-settings.ts'

export const network = defineNetwork({
  testSettings,
  makeDriver({ POSTHORN_SANDBOX_TRANSCRIPT: transcript }) {
    return sandbox(transcript === undefined ? {} : { transcript })
  },
})
