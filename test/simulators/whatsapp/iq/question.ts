import type { Connection } from '../connection.ts'
import type { WhatsApp } from '../whatsapp.ts'
import type { Node } from '../wire/node.ts'

export interface Question {
  readonly whatsapp: WhatsApp
  readonly connection: Connection
  readonly iq: Node
}

/** The nodes of the result, or the error that comes instead of it. */
export type Answer = readonly Node[] | { readonly code: number; readonly text: string }

/** The children of a node; none if it holds bytes or nothing. */
export function childrenOf({ content }: Node): readonly Node[] {
  return content === undefined || content instanceof Uint8Array ? [] : content
}

export function firstChild(parent: Node): Node | undefined {
  return childrenOf(parent)[0]
}
