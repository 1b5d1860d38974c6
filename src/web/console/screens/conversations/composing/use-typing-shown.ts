import { useRef } from 'preact/hooks'
import { call } from '../../../core/api.ts'
import type { Network } from '../../../core/operations.ts'

/** Milliseconds after which the recipient is told again, and the seconds for which they are shown it each time. */
const tellAgainAfter = 8_000
const shownSeconds = 10

interface Shown {
  readonly instance: string
  readonly address: string
  readonly network: Network | undefined
  /** The topic of the group; empty if the network chooses. */
  readonly topic: string
}

/** Returns a function that shows the recipient that the person is writing, if the network can: it may be called at each key. */
export function useTypingShown({ instance, address, network, topic }: Shown): () => void {
  const last = useRef(0)
  return () => {
    const now = Date.now()
    if (!network?.abilities.typing || now - last.current < tellAgainAfter) return
    last.current = now
    const request = {
      params: { name: instance },
      body: { to: address, seconds: shownSeconds, ...(topic && { topic }) },
    }
    // It helps the recipient, and a person who writes need not know if it failed.
    call('showTyping', request).catch(() => {})
  }
}
