import { setting } from '../setting.ts'
import { parseWords, text } from '../setting-values.ts'

/** All messaging networks. Those of one network are in its folder. */
export const networkSettings = {
  POSTHORN_DEFAULT_NETWORK: setting(
    'sandbox',
    'The network of an instance that is created without naming one.',
    text,
  ),
  POSTHORN_STOP_WORDS: setting(
    '',
    'Words, separated by commas, by which people opt out of marketing when they send one of them as a message of its own, such as `stop,sair,baja`. Instances may have their own.',
    parseWords,
  ),
  POSTHORN_START_WORDS: setting(
    '',
    'Words by which they opt in again, such as `start,voltar,alta`.',
    parseWords,
  ),
} as const
