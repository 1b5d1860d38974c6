import { h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { RefusedError } from '../../../browser/refused.ts'
import { call } from '../../core/api.ts'
import { curlOf, shownCall } from '../../core/curl.ts'
import { useCall } from '../../core/hooks/use-call.ts'
import { useIdempotencyKeys } from '../../core/idempotency-keys.ts'
import type { Network } from '../../core/operations.ts'
import { goTo, linkTo } from '../../core/router.ts'
import { Submit } from '../../parts/button.ts'
import { CodeBlock } from '../../parts/copy.ts'
import { Failure, type Faults, FormFailure, faultsOf } from '../../parts/failure.ts'
import { ChoiceField, TextField } from '../../parts/forms/fields.ts'
import { useSending } from '../../parts/forms/form-dialog.ts'
import { Prose } from '../../parts/prose.ts'
import { Screen, type ScreenProps } from '../../parts/screen.ts'
import { say } from '../../words/say.ts'
import { networkIntro, problemText } from '../../words/server-texts.ts'
import { type LabelDraft, LabelsField, metadataOf } from './labels-field.ts'
import { type Draft, fieldsOf, pointersOf, valueFrom, withoutSecrets } from './schema-fields.ts'
import { SchemaForm } from './schema-form.ts'

/** A form for a new instance, as its network documents it. */
export function screen({ query }: ScreenProps) {
  const { data, error, reload } = useCall('listNetworks')
  const networks = data?.data ?? []
  const network = networks.find((each) => each.network === query.network) ?? networks[0]
  return h(
    Screen,
    {
      title: say('instance_form.title'),
      parent: { title: say('instances.title'), link: linkTo(['instances']) },
      calls: [shownCall('listNetworks'), shownCall('createInstance', { body: { name: 'support' } })],
    },
    h(Failure, { error, onRetry: reload }),
    network && h(Form, { network, networks }),
  )
}

interface FormProps {
  readonly network: Network
  readonly networks: readonly Network[]
}

function Form({ network, networks }: FormProps) {
  const entry = useEntry(network)
  const [triedBroken, setTriedBroken] = useState<readonly string[]>([])
  // The same request twice must not make two instances; another one is another request.
  const keys = useIdempotencyKeys()
  const { body, broken } = entry
  const { error, setError, isBusy, form, focusFirstFault } = useSending(async () => {
    setTriedBroken(broken)
    if (broken.length > 0) return focusFirstFault()
    const headers = { 'idempotency-key': keys.keyFor(JSON.stringify(body)) }
    const created = await call('createInstance', { body, headers })
    goTo(['instances', created.name])
  }, true)
  // The form stays when another network is chosen, or the choice would lose the focus.
  useEffect(() => {
    setError(undefined)
    setTriedBroken([])
  }, [network.network])
  const refused = refusedValues(error)
  const faults = new Map([
    ...refused,
    ...triedBroken.map((pointer) => [pointer, say('instance_form.not_json')] as const),
  ])
  return h(
    'form',
    { ...form, class: 'two-columns', noValidate: true },
    h(
      'div',
      null,
      h(Basics, { network, networks, entry, faults }),
      h(Documented, { key: network.network, network, entry, faults }),
      h(LabelsField, { labels: entry.labels, onChange: entry.setLabels, faults }),
      h(FormFailure, { error, faults: refused, pointers: entry.pointers }),
      h('p', null, h(Submit, { isBusy }, say('instance_form.create'))),
    ),
    h(Preview, { body: entry.shown }),
  )
}

/** The call that the form makes. */
function Preview({ body }: { readonly body: ReturnType<typeof useEntry>['shown'] }) {
  const label = say('instance_form.will_be_sent')
  return h(
    'div',
    null,
    h('h2', null, label),
    h('p', { class: 'hint' }, say('everywhere.call_hint')),
    h(CodeBlock, { text: curlOf(shownCall('createInstance', { body })), label }),
  )
}

/**
 * Returns the reasons why values were refused, by their pointers. A name that is taken is a problem of its own, and yet
 * about a field.
 */
function refusedValues(error: unknown): Faults {
  if (error instanceof RefusedError && error.code === 'instance_name_taken')
    return new Map([['/name', problemText(error.code)?.title ?? error.message]])
  return faultsOf(error)
}

interface PartProps {
  readonly network: Network
  readonly entry: ReturnType<typeof useEntry>
  readonly faults: Faults
}

function Basics({ network, networks, entry, faults }: PartProps & FormProps) {
  return [
    h(ChoiceField<string>, {
      label: say('everywhere.network'),
      value: network.network,
      hint: h(Prose, { text: networkIntro(network.network) ?? network.description.split('\n\n')[0] ?? '' }),
      fault: faults.get('/network'),
      onChange: (chosen) => goTo(['instances', '~new'], { network: chosen }, true),
      values: networks.map((each) => each.network),
      nameOf: (value) => networks.find((each) => each.network === value)?.title ?? value,
    }),
    h(TextField, {
      label: say('everywhere.name'),
      hint: say('instance_form.name_hint'),
      required: true,
      maxLength: 63,
      value: entry.name,
      fault: faults.get('/name'),
      onChange: entry.setName,
    }),
  ]
}

function Documented({ network: { network }, entry, faults }: PartProps) {
  const { settings, credentials } = entry
  return [
    settings.fields.length > 0 &&
      h(
        'fieldset',
        null,
        h('legend', null, say('instance_form.settings')),
        h(SchemaForm, { ...settings, network, faults }),
      ),
    h(
      'fieldset',
      null,
      h('legend', null, say('instance_form.credentials')),
      h(
        'p',
        { class: 'hint' },
        say(
          credentials.fields.length > 0 ? 'instance_form.credentials_hint' : 'instance_form.no_credentials',
        ),
      ),
      h(SchemaForm, { ...credentials, network, faults }),
    ),
  ]
}

/** Entered values for one network. */
interface Drafts {
  readonly settings: Draft
  readonly credentials: Draft
}

const empty: Drafts = { settings: {}, credentials: {} }

/** Keeps the entered values of a new instance, and makes its request from them. */
function useEntry(network: Network) {
  const [name, setName] = useState('')
  const [drafts, setDrafts] = useState<Readonly<Record<string, Drafts>>>({})
  const { settings: settingsDraft, credentials: credentialsDraft } = drafts[network.network] ?? empty
  const change = (part: keyof Drafts) => (draft: Draft) =>
    setDrafts((before) => ({
      ...before,
      [network.network]: { ...(before[network.network] ?? empty), [part]: draft },
    }))
  const [labels, setLabels] = useState<readonly LabelDraft[]>([])
  const settings = fieldsOf(network.settings, '/settings', false)
  const credentials = fieldsOf(network.credentials, '/credentials', true)
  const broken: string[] = []
  const secrets = valueFrom(credentials, credentialsDraft, broken)
  const open = {
    name,
    network: network.network,
    ...given('settings', valueFrom(settings, settingsDraft, broken)),
    ...given('metadata', metadataOf(labels)),
  }
  return {
    name,
    setName,
    labels,
    setLabels,
    settings: { fields: settings, draft: settingsDraft, onChange: change('settings') },
    credentials: { fields: credentials, draft: credentialsDraft, onChange: change('credentials') },
    body: { ...open, ...given('credentials', secrets) },
    /** The same without secrets. */
    shown: { ...open, ...given('credentials', withoutSecrets(credentials, secrets)) },
    broken,
    pointers: new Set([
      '/name',
      '/network',
      '/metadata',
      ...pointersOf(settings),
      ...pointersOf(credentials),
    ]),
  }
}

function given<N extends string, T>(name: N, value: T | undefined): { readonly [Name in N]?: T } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [Name in N]?: T }
}
