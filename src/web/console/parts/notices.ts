import { h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { failureText } from './failure.ts'

interface Notice {
  readonly id: number
  readonly text: string
}

/** Milliseconds for which a notice is shown. */
const shownFor = 5_000
let count = 0
let show: ((notice: Notice) => void) | undefined

/** Tells the person what was done, for a while. */
export function notify(text: string): void {
  count += 1
  show?.({ id: count, text })
}

/** Does something, and tells the person that it is done, or why it failed. */
export async function tell(act: () => Promise<unknown>, done?: string): Promise<void> {
  try {
    await act()
    if (done !== undefined) notify(done)
  } catch (error) {
    notify(failureText(error))
  }
}

/** The place where notices appear; screen readers read them out. */
export function Notices() {
  const [notices, setNotices] = useState<readonly Notice[]>([])
  useEffect(() => {
    show = (notice) => {
      setNotices((before) => [...before.slice(-2), notice])
      setTimeout(() => setNotices((before) => before.filter(({ id }) => id !== notice.id)), shownFor)
    }
    return () => {
      show = undefined
    }
  }, [])
  return h(
    'div',
    { class: 'notices', role: 'status' },
    notices.map(({ id, text }) => h('p', { key: id }, text)),
  )
}
