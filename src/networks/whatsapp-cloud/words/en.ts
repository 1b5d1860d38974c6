import type { NetworkWords } from '../../../locales/network-words.ts'

export const words = {
  console: {
    card: {
      name: 'WhatsApp Cloud API',
      what: 'A business number, by the official API that Meta hosts.',
    },
    labels: {
      phone_number_id: 'Phone number ID',
      business_account_id: 'Business account ID',
      api_version: 'API version',
      access_token: 'Access token',
      app_secret: 'App secret',
      verify_token: 'Verify token',
    },
  },
} as const satisfies NetworkWords
