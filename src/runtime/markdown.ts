/** What pages of the documentation that are written from data are made of. */

export function code(text: string): string {
  return `\`${text}\``
}

/** A table; the first row is its head. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}
