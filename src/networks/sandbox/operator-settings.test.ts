import { anyText, testSettings } from '../../../test/kit/config/setting-cases.ts'

testSettings({
  POSTHORN_SANDBOX_TRANSCRIPT: anyText,
})
