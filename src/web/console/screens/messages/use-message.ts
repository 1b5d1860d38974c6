import { useEffect } from 'preact/hooks'
import type { Message } from '../../../../contract/resources/message.ts'
import { type Called, useCall } from '../../core/hooks/use-call.ts'
import { laterOf } from '../../core/later.ts'
import { messageIn, useLive } from '../../core/live.ts'

/** Milliseconds between two reads of a message that waits: no event tells of the attempts in between. */
const rereadAfter = 3_000

/** One message, live, with its attempts while it is being sent. */
export function useMessage(id: string): Called<Message> {
  const message = useCall('getMessage', { params: { id } })
  const { data, change, reload } = message
  useLive((event) => {
    const told = messageIn(event)
    if (told?.id === id) change((shown) => laterOf(shown, told))
  }, reload)
  const isWaiting = data?.status === 'queued' || data?.status === 'sending'
  useEffect(() => {
    if (!isWaiting) return
    const timer = setInterval(() => document.hidden || reload(), rereadAfter)
    return () => clearInterval(timer)
  }, [isWaiting])
  return message
}
