import type { NetworkWords } from '../../../locales/network-words.ts'

export const words = {
  console: {
    card: {
      name: 'WhatsApp',
      what: 'Your own account. The phone stays the main device, and this server is a linked one.',
      caution:
        "WhatsApp allows no unofficial apps, and may restrict or ban the account. Use a number that you can do without, or WhatsApp's official API.",
    },
    labels: {
      proxy: 'Proxy',
      shown_online: 'Shown as online',
      proxy_username: 'Proxy user name',
      proxy_password: 'Proxy password',
    },
  },
  'link-page': {
    app: 'WhatsApp',
    guide: {
      open: 'Open WhatsApp on the phone of this account.',
      menu: {
        android: 'Tap *More options* (⋮).',
        iphone: 'Tap *Settings*.',
        any: 'On Android, tap *More options* (⋮); on an iPhone, *Settings*.',
      },
      devices: 'Tap *Linked devices*, and then *Link a device*.',
      scan: 'Point the phone at this screen, so that it scans the code.',
      type: 'Tap *Link with phone number instead*, and enter the code.',
      notification:
        'If WhatsApp shows a notification about linking a device, you can tap that instead and enter the code.',
      undo: 'In WhatsApp, under *Linked devices*, tap this device, and then *Log out*. It ends at once.',
    },
  },
} as const satisfies NetworkWords
