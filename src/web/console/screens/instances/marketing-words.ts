import { h } from 'preact'
import { useState } from 'preact/hooks'
import { call } from '../../core/api.ts'
import { shownCall } from '../../core/curl.ts'
import type { Answer } from '../../core/operations.ts'
import { Facts } from '../../parts/facts.ts'
import { faultsOf } from '../../parts/failure.ts'
import { CheckField, namesIn, TextField } from '../../parts/forms/fields.ts'
import { FormDialog, useSending } from '../../parts/forms/form-dialog.ts'
import { Section } from '../../parts/screen.ts'
import { say } from '../../words/say.ts'

type Given = readonly string[] | null

interface WordsProps {
  readonly instance: Answer<'getInstance'>
  readonly isAdmin: boolean
  readonly reload: () => void
}

/** The words by which people opt out of marketing, and in again. */
export function MarketingWords({ instance, isAdmin, reload }: WordsProps) {
  const [isOpen, setOpen] = useState(false)
  const { stop_words, start_words } = instance
  return h(
    Section,
    { id: 'marketing', title: say('instances.marketing.title'), look: 'panel' },
    h('p', { class: 'hint' }, say('instances.marketing.what')),
    h(Facts, {
      facts: {
        [say('instances.marketing.stop')]: shown(stop_words),
        [say('instances.marketing.start')]: shown(start_words),
      },
    }),
    isAdmin &&
      h(
        'div',
        { class: 'actions' },
        h('button', { type: 'button', onClick: () => setOpen(true) }, say('instances.marketing.change')),
      ),
    isOpen && h(WordsDialog, { instance, onDone: reload, onClose: () => setOpen(false) }),
  )
}

function shown(given: Given): string {
  if (given === null) return say('instances.marketing.inherited')
  return given.length === 0 ? say('instances.marketing.none') : given.join(', ')
}

/** Words as they are entered. */
interface EnteredWords {
  readonly isInherited: boolean
  readonly text: string
}

const entered = (given: Given): EnteredWords => ({
  isInherited: given === null,
  text: given?.join(', ') ?? '',
})

const given = ({ isInherited, text }: EnteredWords) => (isInherited ? null : namesIn(text))

interface WordsDialogProps {
  readonly instance: Answer<'getInstance'>
  readonly onDone: () => void
  readonly onClose: () => void
}

function WordsDialog({ instance, onDone, onClose }: WordsDialogProps) {
  const [stop, setStop] = useState(() => entered(instance.stop_words))
  const [start, setStart] = useState(() => entered(instance.start_words))
  const request = {
    params: { name: instance.name },
    body: { stop_words: given(stop), start_words: given(start) },
  }
  const sending = useSending(async () => {
    await call('updateInstance', request)
    onClose()
    onDone()
  }, true)
  const faults = [...faultsOf(sending.error)]
  const faultAt = (pointer: string) => faults.find(([at]) => at.startsWith(pointer))?.[1]
  return h(
    FormDialog,
    {
      title: say('instances.marketing.title'),
      action: say('conversations.save'),
      ...{ sending, onClose },
      shown: shownCall('updateInstance', request),
    },
    h(WordsFields, {
      legend: say('instances.marketing.stop'),
      words: stop,
      onChange: setStop,
      fault: faultAt('/stop_words'),
    }),
    h(WordsFields, {
      legend: say('instances.marketing.start'),
      words: start,
      onChange: setStart,
      fault: faultAt('/start_words'),
    }),
  )
}

interface WordsFieldsProps {
  readonly legend: string
  readonly words: EnteredWords
  readonly onChange: (words: EnteredWords) => void
  readonly fault: ReturnType<ReturnType<typeof faultsOf>['get']>
}

function WordsFields({ legend, words, onChange, fault }: WordsFieldsProps) {
  return h(
    'fieldset',
    null,
    h('legend', null, legend),
    h(CheckField, {
      label: say('instances.marketing.inherited'),
      checked: words.isInherited,
      onChange: (isInherited) => onChange({ ...words, isInherited }),
    }),
    !words.isInherited &&
      h(TextField, {
        label: say('instances.marketing.own'),
        hint: say('instances.marketing.by_commas'),
        value: words.text,
        onChange: (text) => onChange({ ...words, text }),
        fault,
      }),
  )
}
