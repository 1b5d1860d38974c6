import type { Node } from '../wire/node.ts'
import { parseJid } from './jid.ts'

const maxMails = 50_000

/** Mail on its way to a client until the client has acknowledged it, in the order in which it came. */
export class Mailbox {
  readonly #mails = new Map<string, Node>()

  get size(): number {
    return this.#mails.size
  }

  put(mail: Node): void {
    if (this.#mails.size >= maxMails) throw new Error('The mailbox of a client is full.')
    this.#mails.set(nameOf(mail), mail)
  }

  /** True until the client has acknowledged it. */
  has(mail: Node): boolean {
    return this.#mails.get(nameOf(mail)) === mail
  }

  /**
   * Takes out what has been acknowledged, if it is there. The kind of a receipt has its type in it. `senders` are the users from
   * whom it can have come.
   */
  settle(kind: string, id: string, senders: Iterable<string>): void {
    for (const sender of senders) this.#mails.delete(`${kind} ${id} ${sender}`)
  }

  waiting(): Node[] {
    return [...this.#mails.values()]
  }

  clear(): void {
    this.#mails.clear()
  }
}

function nameOf(mail: Node): string {
  const { id = '', from = '', participant = from } = mail.attrs
  return `${kindOf(mail)} ${id} ${parseJid(participant).user}`
}

/** Receipts of several types come for one message. */
export function kindOf({ tag, attrs }: Pick<Node, 'tag' | 'attrs'>): string {
  return tag === 'receipt' ? `receipt/${attrs.type ?? ''}` : tag
}
