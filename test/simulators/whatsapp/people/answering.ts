import type { WhatsApp } from '../whatsapp.ts'
import { write } from './writing.ts'

/** Lets people answer at once who have the trait to. */
export function answerAtOnce(whatsapp: WhatsApp): void {
  whatsapp.shown = (account, { from, chat, isOwn, kind, addressing }) => {
    const isForThem = !isOwn && chat === from && kind !== 'revoke'
    const other = whatsapp.directory.ofPhone(from)
    if (account.traits.answer === '' || !isForThem || !other) return
    const server = addressing === 'lid' ? 'lid' : 's.whatsapp.net'
    const message = { conversation: account.traits.answer }
    write(whatsapp, { author: account, to: other, message, server }).catch((error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
    })
  }
}
