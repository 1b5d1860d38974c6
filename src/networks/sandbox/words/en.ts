import type { NetworkWords } from '../../../locales/network-words.ts'

export const words = {
  console: {
    card: {
      name: 'Sandbox',
      what: 'For trying everything out. No message leaves this server.',
    },
    labels: {
      account: 'Account',
      behaviour: 'Behaviour',
      after_seconds: 'After (seconds)',
      reply_window_seconds: 'Reply window seconds',
      link: 'Way to link',
      links_after_seconds: 'Linked after (seconds)',
      link_step_seconds: 'Seconds for each step',
      token: 'Token',
    },
  },
} as const satisfies NetworkWords
