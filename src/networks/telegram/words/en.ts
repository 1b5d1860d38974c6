import type { NetworkWords } from '../../../locales/network-words.ts'

export const words = {
  console: {
    labels: {
      updates: 'Updates',
      token: 'Token',
    },
  },
} as const satisfies NetworkWords
