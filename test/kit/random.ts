import fc from 'fast-check'

/** Numbers in [0, 1) that a seed repeats (mulberry32), so that a run that failed can be run again. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const [firstSurrogate, surrogates] = [0xd800, 0x800]

/**
 * Any character of Unicode, as `unit` of `fc.string`. The unit `binary` of fast-check is the same, but takes more than a second
 * to begin with, as it makes a map of all characters.
 */
export const anyCharacter = fc.integer({ min: 0, max: 0x10ffff - surrogates }).map(
  (number) => String.fromCodePoint(number < firstSurrogate ? number : number + surrogates),
  (character) => {
    const code = typeof character === 'string' ? character.codePointAt(0) : undefined
    if (code === undefined || String.fromCodePoint(code) !== character) throw new Error('no character')
    return code < firstSurrogate ? code : code - surrogates
  },
)
