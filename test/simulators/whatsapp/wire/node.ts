/** One stanza of the protocol, or a part of one: what XML would be, with bytes for text. */
export interface Node {
  readonly tag: string
  readonly attrs: Readonly<Record<string, string>>
  readonly content?: readonly Node[] | Uint8Array
}

/** Makes a node; a string as content becomes its bytes in UTF-8. */
export function node(
  tag: string,
  attrs: Readonly<Record<string, string>> = {},
  content?: readonly Node[] | Uint8Array | string,
): Node {
  if (content === undefined) return { tag, attrs }
  return { tag, attrs, content: typeof content === 'string' ? Buffer.from(content) : content }
}

/** The children with this tag; none when the node holds bytes or nothing. */
export function children(parent: Node, tag: string): Node[] {
  const { content } = parent
  if (content === undefined || content instanceof Uint8Array) return []
  return content.filter((each) => each.tag === tag)
}

/** The first child with this tag. */
export function child(parent: Node, tag: string): Node | undefined {
  return children(parent, tag)[0]
}

/** Returns the bytes in the node; empty when it holds children or nothing. */
export function bytes({ content }: Node): Uint8Array {
  return content instanceof Uint8Array ? content : new Uint8Array()
}

/** Returns the text in the node, in UTF-8; empty when it holds children or nothing. */
export function text(holder: Node): string {
  return Buffer.from(bytes(holder)).toString()
}
