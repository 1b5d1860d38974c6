/** The text of a header: servers put UTF-8 there, which Node reads as Latin-1; anything else was meant as Latin-1. */
export function headerText(value: string): string {
  const bytes = Buffer.from(value, 'latin1')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return value
  }
}
