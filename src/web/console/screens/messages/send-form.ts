import { h } from 'preact'
import { bytes } from '../../../browser/numbers.ts'
import { type ContentKind, contentKindsOf } from '../../core/contents/contents.ts'
import {
  ComponentsError,
  type Draft,
  type DraftKind,
  draftKinds,
  isContentKind,
  mediaKinds,
} from '../../core/draft.ts'
import type { Network } from '../../core/operations.ts'
import { Submit } from '../../parts/button.ts'
import { ContentFields } from '../../parts/contents/content-fields.ts'
import { Disclosure } from '../../parts/disclosure.ts'
import { Failure, type Faults, faultsOf } from '../../parts/failure.ts'
import { bindTo, ChoiceField, FileField, TextField } from '../../parts/forms/fields.ts'
import { InstanceField } from '../../parts/forms/instance-field.ts'
import { mediaKindsOf } from '../../parts/message/message-file.ts'
import { say } from '../../words/say.ts'
import { TestAddresses } from './test-addresses.ts'
import { hasTopics, TopicField } from './topic-field.ts'

interface FormProps {
  readonly draft: Draft
  /** The network of the instance, once it is known. */
  readonly network: Network | undefined
  readonly onChange: (draft: Draft) => void
  readonly onSend: () => void
  readonly error: unknown
  /** The part of the file that has left, while the form is being sent. */
  readonly progress: number | undefined
}

/** Properties of each part of the form: the draft, and what binds its fields. */
interface FieldsProps {
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
  readonly field: ReturnType<typeof bindTo<Draft>>
  /** The largest file of each kind that the network takes, if it is known. */
  readonly taken: Network['limits']['media_bytes'] | undefined
}

/** The form of one message. Values that the server refused say why, in their places. */
export function SendForm({ draft, network, onChange, onSend, error, progress }: FormProps) {
  const faults = faultsOf(error)
  const field = bindTo(draft, onChange, faults)
  const submit = (event: Event) => {
    event.preventDefault()
    onSend()
  }
  const isBusy = progress !== undefined
  const props = { draft, onChange, field, taken: network?.limits.media_bytes }
  return h(
    'form',
    { onSubmit: submit, class: 'panel' },
    h(InstanceField, { ...field('instance'), none: say('send.choose_instance'), isNeeded: true }),
    h(TextField, { ...field('to'), label: say('message.to'), required: true }),
    network?.for_trying && h(TestAddresses, { network, onChoose: field('to').onChange }),
    hasTopics(network) && h(TopicField, { draft, field }),
    h(ChoiceField<DraftKind>, {
      label: say('send.what'),
      value: draft.kind,
      onChange: field('kind').onChange,
      values: kindsFor(network),
      nameOf: (value) => (isContentKind(value) ? say(`message.kinds.${value}`) : say(`send.kind_${value}`)),
    }),
    isContentKind(draft.kind)
      ? network && h(OtherPart, { draft, kind: draft.kind, network, onChange, faults })
      : h(contents[draft.kind], props),
    h(Options, { ...props, isRefused: faults.has('/send_at') }),
    error instanceof ComponentsError
      ? h('p', { class: 'fault', role: 'alert' }, say('send.no_json', { error: error.message }))
      : h(Failure, { error }),
    isBusy &&
      draft.kind === 'file' &&
      h('progress', { value: progress, 'aria-label': say('send.uploading') }),
    h(Submit, { isBusy }, say(isBusy ? 'send.sending' : 'send.send')),
  )
}

/** Returns what an account of the network can send; while that is not known, what most can. */
function kindsFor(network: Network | undefined): readonly DraftKind[] {
  const others = network ? contentKindsOf(network) : []
  return draftKinds.filter((kind) => {
    if (isContentKind(kind)) return others.includes(kind)
    return kind !== 'template' || network?.abilities.templates
  })
}

interface OtherProps extends Pick<FieldsProps, 'draft' | 'onChange'> {
  readonly kind: ContentKind
  readonly network: Network
  readonly faults: Faults
}

function OtherPart({ draft, onChange, ...props }: OtherProps) {
  const change = (contents: Draft['contents']) => onChange({ ...draft, contents })
  return h(ContentFields, { ...props, entered: draft.contents, onChange: change })
}

const contents = { text: TextPart, file: FilePart, url: UrlPart, template: TemplatePart }

function TextPart({ field }: FieldsProps) {
  return h(TextField, { ...field('text'), label: say('message.text'), isLong: true, required: true })
}

function FilePart(props: FieldsProps) {
  const { draft, onChange, field, taken } = props
  const { file } = draft
  return [
    h(FileField, {
      label: say('message.file'),
      hint: file && `${file.name} · ${bytes(file.size)}`,
      fault: field('file').fault,
      onChange: (chosen) =>
        onChange({
          ...draft,
          file: chosen,
          filename: '',
          mediaKind: mediaKindsOf(chosen?.type ?? '', taken)[0] ?? 'document',
        }),
    }),
    h(MediaFields, props),
  ]
}

function UrlPart(props: FieldsProps) {
  const url = props.field('url')
  return [
    h(TextField, { ...url, label: say('send.url'), hint: say('send.url_hint'), type: 'url', required: true }),
    h(MediaFields, props),
  ]
}

function MediaFields({ draft, field, taken }: FieldsProps) {
  return [
    h(ChoiceField<Draft['mediaKind']>, {
      ...field('mediaKind', '/kind'),
      label: say('send.shown_as'),
      values: mediaKinds.filter((kind) => kind === draft.mediaKind || !taken || taken[kind] !== undefined),
      nameOf: (value) => say(`message.kinds.${value}`),
    }),
    h(TextField, { ...field('caption'), label: say('send.caption') }),
    h(TextField, { ...field('filename'), label: say('send.filename'), hint: say('send.filename_hint') }),
  ]
}

function TemplatePart({ field }: FieldsProps) {
  return [
    h(TextField, { ...field('name'), label: say('send.template_name'), required: true }),
    h(TextField, {
      ...field('language'),
      label: say('send.template_language'),
      placeholder: 'en_US',
      required: true,
    }),
    h(TextField, {
      ...field('components'),
      label: say('send.components'),
      hint: say('send.components_hint'),
      isLong: true,
    }),
  ]
}

function Options({ draft, field, isRefused }: FieldsProps & { readonly isRefused: boolean }) {
  return h(
    Disclosure,
    {
      title: say('send.options'),
      isOpen: draft.sendAt !== '' || draft.clientRef !== '' || isRefused,
      look: 'group',
    },
    h(TextField, {
      ...field('sendAt', '/send_at'),
      label: say('send.send_at'),
      hint: say('send.send_at_hint'),
      type: 'datetime-local',
    }),
    h(TextField, {
      ...field('clientRef', '/client_ref'),
      label: say('message.client_ref'),
      hint: say('send.client_ref_hint'),
      maxLength: 255,
    }),
  )
}
