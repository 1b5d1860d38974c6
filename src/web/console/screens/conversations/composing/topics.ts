import { h } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { Message } from '../../../../../contract/resources/message.ts'
import type { Network } from '../../../core/operations.ts'
import { Icon } from '../../../parts/icon.ts'
import { say } from '../../../words/say.ts'

/** The most topics to choose from. */
const maxTopics = 100

/** The topics of a group, and the one that is written in. */
interface Topics {
  /** The names of those that messages were written in, by their ids, the newest first. */
  readonly all: ReadonlyMap<string, string>
  /** Empty if the network chooses. */
  readonly current: string
  readonly choose: (id: string) => void
}

/**
 * Knows the topics of a group by its messages. An answer goes into the topic of the message that it answers, and anything else into that
 * of the newest message, unless the person chooses another.
 */
export function useTopics(
  network: Network | undefined,
  /** The newest first. */
  items: readonly Message[],
  answered: Message | undefined,
): Topics {
  const [chosen, choose] = useState<string>()
  const can = network?.abilities.sends.includes('topic') === true
  const all = useMemo(() => {
    const topics = new Map<string, string>()
    for (const { topic } of can ? items : [])
      if (topic && topics.size < maxTopics) {
        const known = topics.get(topic.id)
        if (known === undefined || known === topic.id) topics.set(topic.id, topic.name ?? topic.id)
      }
    return topics
  }, [can, items])
  const usual = answered?.topic?.id ?? chosen ?? items[0]?.topic?.id ?? ''
  return { all, current: all.has(usual) ? usual : '', choose }
}

interface FieldProps {
  readonly topics: Topics
  /** An answer stays where the message is. */
  readonly isFixed: boolean
}

/** The choice of a topic; nothing if the group has none. */
export function TopicField({ topics: { all, current, choose }, isFixed }: FieldProps) {
  if (all.size === 0) return null
  const label = say('conversations.topic')
  const change = (event: Event) => choose((event.currentTarget as HTMLSelectElement).value)
  return h(
    'label',
    { class: 'topic-field small', title: label },
    h(Icon, { name: 'topic' }),
    h('span', { class: 'unseen' }, label),
    h(
      'select',
      { value: current, disabled: isFixed, onChange: change },
      h('option', { value: '', selected: current === '' }, say('conversations.no_topic')),
      [...all].map(([id, name]) => h('option', { key: id, value: id, selected: id === current }, name)),
    ),
  )
}
