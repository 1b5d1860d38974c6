import { h } from 'preact'
import { bytes } from '../../../browser/numbers.ts'
import { useCall } from '../../core/hooks/use-call.ts'
import type { Answer } from '../../core/operations.ts'
import { Disclosure } from '../../parts/disclosure.ts'
import { Failure } from '../../parts/failure.ts'
import { type Faults, faultsOf } from '../../parts/faults.ts'
import { Submit } from '../../parts/forms/button.ts'
import { ChoiceField, FileField, TextField } from '../../parts/forms/fields.ts'
import { InstanceField } from '../../parts/forms/instance-field.ts'
import { mediaKindOf } from '../../parts/message-file.ts'
import { say } from '../../words/say.ts'
import { ComponentsError, type Draft, type DraftKind, draftKinds } from './draft.ts'
import { TestAddresses } from './test-addresses.ts'

export type Network = Answer<'listNetworks'>['data'][number]

interface FormProps {
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
  readonly onSend: () => void
  readonly error: unknown
  /** The part of the file that has left, while the form is being sent. */
  readonly progress: number | undefined
}

/** Properties of each field of the form: the draft, the function that changes it, and the faults that the server found. */
interface FieldsProps {
  readonly draft: Draft
  readonly set: (change: Partial<Draft>) => void
  readonly faults: Faults
}

/** The form of one message. Values that the server refused say why, in their places. */
export function SendForm({ draft, onChange, onSend, error, progress }: FormProps) {
  const faults = faultsOf(error)
  const network = useNetwork(draft.instance)
  const set = (change: Partial<Draft>) => onChange({ ...draft, ...change })
  const kinds = draftKinds.filter((kind) => kind !== 'template' || network?.abilities.templates)
  const submit = (event: Event) => {
    event.preventDefault()
    onSend()
  }
  const isBusy = progress !== undefined
  const props = { draft, set, faults }
  return h(
    'form',
    { onSubmit: submit, class: 'panel' },
    h(InstanceField, {
      value: draft.instance,
      onChange: (instance) => set({ instance }),
      none: say('send.choose_instance'),
      fault: faults.get('/instance'),
    }),
    h(TextField, {
      label: say('message.to'),
      value: draft.to,
      onChange: (to) => set({ to }),
      fault: faults.get('/to'),
      required: true,
    }),
    network?.for_trying && h(TestAddresses, { network, onChoose: (to) => set({ to }) }),
    h(ChoiceField<DraftKind>, {
      label: say('send.what'),
      value: draft.kind,
      onChange: (kind) => set({ kind }),
      options: kinds.map((value) => ({ value, label: say(`send.kind_${value}`) })),
    }),
    h(contents[draft.kind], props),
    h(Options, props),
    error !== undefined && !(error instanceof ComponentsError) && h(Failure, { error }),
    error instanceof ComponentsError &&
      h('p', { class: 'fault', role: 'alert' }, say('send.no_json', { error: error.message })),
    isBusy &&
      draft.kind === 'file' &&
      h('progress', { value: progress, 'aria-label': say('send.uploading') }),
    h(Submit, { isBusy }, say(isBusy ? 'send.sending' : 'send.send')),
  )
}

/** The network of an instance, once both are known. */
function useNetwork(name: string): Network | undefined {
  const instance = useCall('getInstance', name === '' ? null : { params: { name } })
  const networks = useCall('listNetworks')
  return networks.data?.data.find(({ network }) => network === instance.data?.network)
}

const contents = { text: TextPart, file: FilePart, url: UrlPart, template: TemplatePart }

function TextPart({ draft, set, faults }: FieldsProps) {
  return h(TextField, {
    label: say('message.text'),
    value: draft.text,
    onChange: (text) => set({ text }),
    fault: faults.get('/text'),
    isLong: true,
    required: true,
  })
}

function FilePart(props: FieldsProps) {
  const { draft, set, faults } = props
  const choose = (file: File | undefined) =>
    set({ file, filename: '', mediaKind: file ? mediaKindOf(file.type) : 'document' })
  const { file } = draft
  return [
    h(FileField, {
      label: say('message.file'),
      hint: file && `${file.name} · ${bytes(file.size)}`,
      fault: faults.get('/file'),
      onChange: choose,
    }),
    h(MediaFields, props),
  ]
}

function UrlPart(props: FieldsProps) {
  const { draft, set, faults } = props
  return [
    h(TextField, {
      label: say('send.url'),
      hint: say('send.url_hint'),
      type: 'url',
      value: draft.url,
      onChange: (url) => set({ url }),
      fault: faults.get('/url'),
      required: true,
    }),
    h(MediaFields, props),
  ]
}

function MediaFields({ draft, set, faults }: FieldsProps) {
  return [
    h(ChoiceField<Draft['mediaKind']>, {
      label: say('send.shown_as'),
      value: draft.mediaKind,
      onChange: (mediaKind) => set({ mediaKind }),
      fault: faults.get('/kind'),
      options: (['document', 'image', 'audio'] as const).map((value) => ({
        value,
        label: say(`message.kinds.${value}`),
      })),
    }),
    h(TextField, {
      label: say('send.caption'),
      value: draft.caption,
      onChange: (caption) => set({ caption }),
      fault: faults.get('/caption'),
    }),
    h(TextField, {
      label: say('send.filename'),
      hint: say('send.filename_hint'),
      value: draft.filename,
      onChange: (filename) => set({ filename }),
      fault: faults.get('/filename'),
    }),
  ]
}

function TemplatePart({ draft, set, faults }: FieldsProps) {
  return [
    h(TextField, {
      label: say('send.template_name'),
      value: draft.name,
      onChange: (name) => set({ name }),
      fault: faults.get('/name'),
      required: true,
    }),
    h(TextField, {
      label: say('send.template_language'),
      value: draft.language,
      onChange: (language) => set({ language }),
      fault: faults.get('/language'),
      placeholder: 'en_US',
      required: true,
    }),
    h(TextField, {
      label: say('send.components'),
      hint: say('send.components_hint'),
      value: draft.components,
      onChange: (components) => set({ components }),
      fault: faults.get('/components'),
      isLong: true,
    }),
  ]
}

function Options({ draft, set, faults }: FieldsProps) {
  const isOpen = draft.sendAt !== '' || draft.clientRef !== '' || faults.has('/send_at')
  return h(
    Disclosure,
    { title: say('send.options'), isOpen, look: 'group' },
    h(TextField, {
      label: say('send.send_at'),
      hint: say('send.send_at_hint'),
      type: 'datetime-local',
      value: draft.sendAt,
      onChange: (sendAt) => set({ sendAt }),
      fault: faults.get('/send_at'),
    }),
    h(TextField, {
      label: say('message.client_ref'),
      hint: say('send.client_ref_hint'),
      value: draft.clientRef,
      onChange: (clientRef) => set({ clientRef }),
      fault: faults.get('/client_ref'),
      maxLength: 255,
    }),
  )
}
