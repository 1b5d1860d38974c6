import type { NetworkWords } from '../../../locales/network-words.ts'

export const words = {
  console: {
    card: {
      name: 'XMPP',
      what: 'An account on any server, your own or that of others.',
    },
    labels: {
      address: 'Address',
      service: 'Server',
      register: 'Register',
      allow_plaintext: 'Allow plain text',
      password: 'Password',
    },
  },
} as const satisfies NetworkWords
