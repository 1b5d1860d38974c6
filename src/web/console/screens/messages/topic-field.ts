import { h } from 'preact'
import { useId, useState } from 'preact/hooks'
import type { Draft } from '../../core/draft.ts'
import { useCall } from '../../core/hooks/use-call.ts'
import type { Network } from '../../core/operations.ts'
import { type bindTo, TextField } from '../../parts/forms/fields.ts'
import { say } from '../../words/say.ts'

/** The messages of a group in which its topics are looked for. */
const lookedThrough = 50
/** The longest id of a topic in the contract. */
const maxLength = 64

/** True if accounts of a network can choose the topic of a group in which a message is shown. */
export const hasTopics = (network: Network | undefined): boolean =>
  network?.abilities.sends.includes('topic') === true

interface TopicProps {
  readonly draft: Draft
  readonly field: ReturnType<typeof bindTo<Draft>>
}

/** The topic of a group, with those of its latest messages as suggestions: they are read once the person comes to the field. */
export function TopicField({ draft: { instance, to }, field }: TopicProps) {
  const list = useId()
  const place = JSON.stringify([instance, to.trim()])
  const [asked, setAsked] = useState<string>()
  const query = { instance, conversation: to.trim(), limit: lookedThrough }
  const isAsked = asked === place && instance !== '' && query.conversation !== ''
  const { data } = useCall('listMessages', isAsked ? { query } : null)
  const topics = new Map<string, string>()
  // Messages that the account sent name no topic, only its id.
  for (const { topic } of data?.data ?? []) {
    const known = topic && topics.get(topic.id)
    if (topic && (known === undefined || known === topic.id)) topics.set(topic.id, topic.name || topic.id)
  }
  return h(
    'div',
    { onFocusCapture: () => setAsked(place) },
    h(TextField, {
      ...field('topic'),
      label: say('send.topic'),
      hint: say('send.topic_hint'),
      list,
      maxLength,
    }),
    h(
      'datalist',
      { id: list },
      [...topics].map(([id, name]) => h('option', { key: id, value: id, label: name })),
    ),
  )
}
