import { type ComponentChildren, h } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { say } from '../../words/say.ts'
import { Dialog } from '../dialog.ts'
import { failureText } from '../failure.ts'

/** Calls that are under way at once. */
const together = 4

interface BulkDialogProps<T> {
  readonly title: string
  /** Text of the button that begins. */
  readonly action: string
  /** Text of the button that does nothing. */
  readonly refusal: string
  readonly items: readonly T[]
  readonly keyOf: (item: T) => string
  /** Returns what an item is called beside the reason why nothing could be done with it. */
  readonly nameOf: (item: T) => string
  readonly act: (item: T) => Promise<unknown>
  /** Gets the keys of the items with which it was done, whenever it comes to an end. */
  readonly onDone: (keys: readonly string[]) => void
  readonly onClose: () => void
  /** Says what will be done, and with what nothing will be. */
  readonly children?: ComponentChildren
}

interface Fault<T> {
  readonly item: T
  readonly error: unknown
}

/**
 * Asks before something is done with each of several things, does it, and tells how far it is. What fails is listed with its reason, and
 * can be tried again; what is done stays done. To close it stops it.
 */
export function BulkDialog<T>(props: BulkDialogProps<T>) {
  const { title, action, refusal, items, keyOf, nameOf, onClose, children } = props
  const { progress, faults, isRunning, run } = useBulk(props)
  const isOver = progress !== undefined && !isRunning
  const begin = () => run(isOver ? faults.map(({ item }) => item) : items)
  const done = progress ?? 0
  return h(
    Dialog,
    { title, onClose },
    progress === undefined && children,
    progress !== undefined && [
      h('progress', { max: items.length, value: done, 'aria-label': title }),
      h('p', { role: 'status' }, say('everywhere.done_of', { done, count: items.length })),
    ],
    faults.length > 0 && h('p', { role: 'alert' }, say('everywhere.bulk_failed', { count: faults.length })),
    faults.length > 0 &&
      h(
        'ul',
        { class: 'bulk-faults' },
        faults.map(({ item, error }) =>
          h('li', { key: keyOf(item) }, h('strong', null, nameOf(item)), ': ', failureText(error)),
        ),
      ),
    h(
      'footer',
      null,
      h(
        'button',
        { type: 'button', onClick: onClose },
        progress === undefined ? refusal : say('everywhere.close'),
      ),
      (progress === undefined || isRunning || faults.length > 0) &&
        h(
          'button',
          {
            type: 'button',
            class: 'primary',
            disabled: items.length === 0,
            'aria-disabled': isRunning,
            onClick: () => isRunning || begin(),
          },
          isOver ? say('everywhere.try_again') : action,
        ),
    ),
  )
}

function useBulk<T>({ items, keyOf, act, onDone, onClose }: BulkDialogProps<T>) {
  const [progress, setProgress] = useState<number>()
  const [faults, setFaults] = useState<readonly Fault<T>[]>([])
  const [isRunning, setRunning] = useState(false)
  const isStopped = useRef(false)
  useEffect(
    () => () => {
      isStopped.current = true
    },
    [],
  )
  const run = async (some: readonly T[]) => {
    const waiting = [...some]
    const failed: Fault<T>[] = []
    const done: string[] = []
    let count = items.length - some.length
    setFaults([])
    setProgress(count)
    setRunning(true)
    const work = async () => {
      for (let item = waiting.shift(); item !== undefined && !isStopped.current; item = waiting.shift()) {
        try {
          await act(item)
          done.push(keyOf(item))
          count += 1
          if (!isStopped.current) setProgress(count)
        } catch (error) {
          failed.push({ item, error })
        }
      }
    }
    await Promise.all(Array.from({ length: together }, work))
    onDone(done)
    if (isStopped.current) return
    setFaults(failed)
    setRunning(false)
    if (failed.length === 0) onClose()
  }
  return { progress, faults, isRunning, run }
}
