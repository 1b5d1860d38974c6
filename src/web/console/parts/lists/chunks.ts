import { useRef } from 'preact/hooks'

/** Rows that are drawn together, and left as they are while none of them changes. */
const chunkSize = 50

/** Cuts a list into parts; a part with the same items is the same array as before, so that only what changed is drawn anew. */
export function useChunks<T>(items: readonly T[]): readonly (readonly T[])[] {
  const before = useRef<readonly (readonly T[])[]>([])
  const chunks: (readonly T[])[] = []
  // By their first items: others may have gone before them.
  const knownBy = new Map(before.current.map((chunk) => [chunk[0], chunk]))
  for (let at = 0; at < items.length; at += chunkSize) {
    const known = knownBy.get(items[at])
    const length = Math.min(chunkSize, items.length - at)
    const isSame = known?.length === length && known.every((item, place) => item === items[at + place])
    chunks.push(isSame ? known : items.slice(at, at + length))
  }
  before.current = chunks
  return chunks
}
