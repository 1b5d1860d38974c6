import { apiUrl, testSettings } from '../../../test/kit/config/setting-cases.ts'

testSettings({
  POSTHORN_TELEGRAM_API: apiUrl,
})
