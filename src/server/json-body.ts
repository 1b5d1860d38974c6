import { invalid, Problem } from '../contract/problem.ts'

/*
 * Texts that not every store and network can carry are refused at the door: U+0000, which PostgreSQL does not take, and
 * lone surrogates, which no encoding can carry and which would arrive as something else than was accepted.
 */
const suspicious = /\\u(?:0000|[dD][89a-fA-F])|"__proto__"/

/** Parses a JSON body; undefined for an empty one. */
export function parseJsonBody(text: string): unknown {
  if (text.length === 0) return undefined
  const value = parse(text)
  if (suspicious.test(text)) refuseUnfitTexts(value, '', 0)
  return value
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Problem('malformed_body', { cause: error })
  }
}

const deepest = 64

function refuseUnfitTexts(value: unknown, pointer: string, depth: number): void {
  if (depth > deepest) throw new Problem('malformed_body', { detail: 'The body is nested too deeply.' })
  if (typeof value === 'string' && !isFit(value)) {
    const detail = 'The text holds U+0000 or a lone surrogate, which cannot be carried unchanged.'
    throw invalid({ pointer, code: 'text_not_representable', detail })
  }
  if (typeof value !== 'object' || value === null) return
  for (const [name, entry] of Object.entries(value)) {
    if (name === '__proto__' || !isFit(name)) throw new Problem('malformed_body')
    refuseUnfitTexts(entry, `${pointer}/${name}`, depth + 1)
  }
}

/** True for text that every store and network can carry unchanged. */
export function isFit(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000')
}
