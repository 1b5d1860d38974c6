import type { NetworkWords } from '../../../locales/network-words.ts'

export const words = {
  console: {
    labels: {
      address: 'Address',
      service: 'Server',
      register: 'Register',
      allow_plaintext: 'Allow plain text',
      password: 'Password',
    },
  },
} as const satisfies NetworkWords
