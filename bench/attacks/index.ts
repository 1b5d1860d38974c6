import type { Attack, Prepare } from './attack.ts'
import { callersWithoutKey, drippingFiles, endlessSending, longVoiceNotes } from './callers.ts'
import {
  coldQueues,
  fillCallbacks,
  fillLargePage,
  fillLongQueues,
  fillStatistics,
  largePages,
  longStatistics,
  manyKeys,
  manyWaits,
  prepareKeys,
  removals,
  silentReaders,
} from './store-callers.ts'
import { longMessages, manyMessages } from './stranger.ts'
import {
  costlyLogin,
  endlessFeatures,
  manyChats,
  textBetweenStanzas,
  tinyStanzas,
  unreadAnswers,
} from './xmpp-servers.ts'

/**
 * Every attack that neighbours are measured beside: its name in the table, its needs, its preparation outside the measured
 * time, and its course.
 */
export const attacks = {
  'text-between-stanzas': { title: 'a server with text between stanzas', attack: textBetweenStanzas },
  'unread-answers': { title: 'a server that pings and never reads', attack: unreadAnswers },
  'tiny-stanzas': { title: 'a server with endless tiny stanzas', attack: tinyStanzas },
  'endless-features': { title: 'a server that is never done before the login', attack: endlessFeatures },
  'costly-login': { title: 'logins of 5,000,000 iterations', attack: costlyLogin },
  'long-messages': {
    title: 'an unknown sender’s messages of 240 KB',
    attack: longMessages,
    needs: 'prosody',
  },
  'many-messages': {
    title: 'an unknown sender’s flood of short messages',
    attack: manyMessages,
    needs: 'prosody',
  },
  'long-voice-notes': { title: 'voice notes of a day', attack: longVoiceNotes, needs: 'ffmpeg' },
  'dripping-files': { title: 'files that drip', attack: drippingFiles },
  'endless-sending': { title: 'files and texts without end', attack: endlessSending },
  'callers-without-key': { title: '300 callers without a key', attack: callersWithoutKey },
  'large-pages': { title: '32 lists of 100 large messages', attack: largePages, prepare: fillLargePage },
  statistics: { title: 'statistics of 30 days', attack: longStatistics, prepare: fillStatistics },
  'many-keys': { title: '64 connections with 100 keys', attack: manyKeys, prepare: prepareKeys },
  'silent-readers': { title: '200 readers that never read', attack: silentReaders, prepare: fillLargePage },
  'many-chats': { title: '30 servers that send chats', attack: manyChats },
  'many-waits': { title: '1,000 waits and 20 texts/s', attack: manyWaits },
  'cold-queues': {
    title: '30 lists of queues that lost their oldest',
    attack: coldQueues,
    prepare: fillLongQueues,
  },
  removals: {
    title: 'the removal of 4 instances with 10,000 callbacks',
    attack: removals,
    prepare: fillCallbacks,
  },
} as const satisfies Record<string, AttackEntry>

interface AttackEntry {
  readonly title: string
  readonly attack: Attack
  readonly needs?: 'prosody' | 'ffmpeg'
  readonly prepare?: Prepare
}

export type AttackName = keyof typeof attacks
