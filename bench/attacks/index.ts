import type { Attack } from './attack.ts'
import { callersWithoutKey, drippingFiles, endlessSending, longVoiceNotes } from './callers.ts'
import { longMessages, manyMessages } from './stranger.ts'
import {
  costlyLogin,
  endlessFeatures,
  textBetweenStanzas,
  tinyStanzas,
  unreadAnswers,
} from './xmpp-servers.ts'

/** Every attack that neighbours are measured beside: what the table calls it, what it needs, and how it goes. */
export const attacks = {
  'text-between-stanzas': { title: 'a server with text between stanzas', attack: textBetweenStanzas },
  'unread-answers': { title: 'a server that pings and never reads', attack: unreadAnswers },
  'tiny-stanzas': { title: 'a server with endless tiny stanzas', attack: tinyStanzas },
  'endless-features': { title: 'a server that is never done before the login', attack: endlessFeatures },
  'costly-login': { title: 'logins of 5,000,000 iterations', attack: costlyLogin },
  'long-messages': { title: 'a stranger’s messages of 240 KB', attack: longMessages, needs: 'prosody' },
  'many-messages': { title: 'a stranger’s flood of short messages', attack: manyMessages, needs: 'prosody' },
  'long-voice-notes': { title: 'voice notes of a day', attack: longVoiceNotes, needs: 'ffmpeg' },
  'dripping-files': { title: 'files that drip', attack: drippingFiles },
  'endless-sending': { title: 'files and texts without end', attack: endlessSending },
  'callers-without-key': { title: '300 callers without a key', attack: callersWithoutKey },
} as const satisfies Record<string, { title: string; attack: Attack; needs?: 'prosody' | 'ffmpeg' }>

export type AttackName = keyof typeof attacks
