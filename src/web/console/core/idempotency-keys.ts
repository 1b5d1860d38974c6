import { useRef } from 'preact/hooks'
import { newIdempotencyKey } from './api.ts'

/** Gives each content of a form its own idempotency key, and the same content the same one: so a retry sends nothing twice. */
export function useIdempotencyKeys() {
  const last = useRef({ content: '', key: '' })
  return {
    keyFor(content: string): string {
      if (content !== last.current.content) last.current = { content, key: newIdempotencyKey() }
      return last.current.key
    },
    /** From now on the same content is another request: this one has its response. */
    done(): void {
      last.current = { content: '', key: '' }
    },
  }
}
