import { h } from 'preact'
import { useWriters } from '../../core/typing.ts'
import { say } from '../../words/say.ts'

interface WritingProps {
  readonly instance: string
  readonly address: string
  readonly aliases: readonly string[]
  readonly isGroup: boolean
  readonly nameOf: (address: string) => string
}

/** Says who is writing now; nothing if no one is. */
export function Writing({ instance, address, aliases, isGroup, nameOf }: WritingProps) {
  const [first, ...others] = useWriters(instance, address, aliases)
  if (!first) return null
  return h(
    'p',
    { class: 'writing small' },
    wordsOf(isGroup ? nameOf(first.from) : null, first.state, others.length),
  )
}

/** Returns what a person does, with their name in a group. */
export function wordsOf(name: string | null, state: 'typing' | 'recording', others = 0): string {
  if (others > 0) return say('conversations.several_writing', { count: others + 1 })
  if (name === null) return say(`conversations.${state}`)
  return say(`conversations.${state}_by`, { name })
}
