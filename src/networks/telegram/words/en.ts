import type { NetworkWords } from '../../../locales/network-words.ts'

export const words = {
  console: {
    card: {
      name: 'Telegram',
      what: 'A bot that people write to first.',
    },
    labels: {
      updates: 'Updates',
      token: 'Token',
    },
  },
} as const satisfies NetworkWords
