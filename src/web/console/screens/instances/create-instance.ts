import { h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { RefusedError } from '../../../browser/refused.ts'
import { call } from '../../core/api.ts'
import { curlOf, shownCall } from '../../core/curl.ts'
import { useCall } from '../../core/hooks/use-call.ts'
import { useIdempotencyKeys } from '../../core/idempotency-keys.ts'
import type { Network } from '../../core/operations.ts'
import { fromHere, goTo, linkTo } from '../../core/router.ts'
import { Submit } from '../../parts/button.ts'
import { CodeBlock } from '../../parts/copy.ts'
import { Disclosure } from '../../parts/disclosure.ts'
import { Failure, type Faults, FormFailure, faultsOf } from '../../parts/failure.ts'
import { TextField } from '../../parts/forms/fields.ts'
import { useSending } from '../../parts/forms/form-dialog.ts'
import { Screen, type ScreenProps } from '../../parts/screen.ts'
import { say } from '../../words/say.ts'
import { problemText } from '../../words/server-texts.ts'
import { type LabelDraft, LabelsField, metadataOf } from './labels-field.ts'
import { Caution, NetworkCards } from './network-cards.ts'
import {
  type Draft,
  fieldsOf,
  pointersOf,
  type SchemaField,
  valueFrom,
  withoutSecrets,
} from './schema-fields.ts'
import { SchemaForm } from './schema-form.ts'

/** A form for a new instance, as its network documents it. */
export function screen({ query }: ScreenProps) {
  const { data, error, reload } = useCall('listNetworks')
  const networks = (data?.data ?? []).toSorted((a, b) => rankOf(a) - rankOf(b))
  const network = networks.find((each) => each.network === query.network) ?? networks[0]
  return h(
    Screen,
    {
      title: say('instance_form.title'),
      parent: { title: say('instances.title'), link: linkTo(['instances']) },
      calls: [shownCall('listNetworks'), shownCall('createInstance', { body: { name: 'support' } })],
      look: 'narrow',
    },
    h('p', { class: 'lead' }, say('instance_form.lead')),
    h(Failure, { error, onRetry: reload }),
    network && h(Form, { network, networks }),
  )
}

/** The order of the cards: networks of which a phone is all that one needs come first, the one for trying comes last. */
function rankOf({ for_trying, abilities }: Network): number {
  return for_trying ? 2 : abilities.links.length > 0 ? 0 : 1
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
    const goOn = fromHere()
    const created = await call('createInstance', { body, headers })
    goOn(['instances', created.name])
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
    { ...form, noValidate: true },
    h(NetworkCards, {
      networks,
      chosen: network.network,
      fault: faults.get('/network'),
      onChoose: (chosen) => goTo(['instances', '~new'], { network: chosen }, true),
    }),
    h(Caution, { network }),
    h(
      'div',
      { class: 'panel' },
      h(Needed, { network, entry, faults }),
      h(Advanced, { key: network.network, network, entry, faults }),
      h(Preview, { body: entry.shown }),
      h(FormFailure, { error, faults: refused, pointers: entry.pointers }),
      h(
        'p',
        { class: 'actions' },
        h(Submit, { isBusy }, say('instance_form.create')),
        network.abilities.links.length > 0 &&
          !network.for_trying &&
          h('span', { class: 'small' }, say('instance_form.link_next')),
      ),
    ),
  )
}

/** The call that the form makes. */
function Preview({ body }: { readonly body: ReturnType<typeof useEntry>['shown'] }) {
  const label = say('instance_form.will_be_sent')
  return h(
    Disclosure,
    { title: label },
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

/** Fields that nearly every instance of the network needs. */
function Needed({ network: { network }, entry, faults }: PartProps) {
  const { settings, credentials } = entry
  const secrets = credentials.fields.filter(({ isNeeded }) => isNeeded)
  return [
    h(TextField, {
      label: say('everywhere.name'),
      hint: say('instance_form.name_hint'),
      required: true,
      maxLength: 63,
      value: entry.name,
      fault: faults.get('/name'),
      onChange: entry.setName,
    }),
    h(SchemaForm, {
      ...settings,
      fields: settings.fields.filter(({ isNeeded }) => isNeeded),
      network,
      faults,
    }),
    h(SchemaForm, { ...credentials, fields: secrets, network, faults }),
    secrets.length > 0 && h('p', { class: 'hint' }, say('instance_form.credentials_hint')),
  ]
}

/** Fields that few need, folded: they open by themselves if one of them is wrong. */
function Advanced({ network: { network }, entry, faults }: PartProps) {
  const { settings, credentials } = entry
  const rest = (fields: readonly Entered[]) => fields.filter(({ isNeeded }) => !isNeeded)
  const pointers = ['/metadata', ...pointersOf([...rest(settings.fields), ...rest(credentials.fields)])]
  const isFaulty = [...faults.keys()].some((at) => pointers.some((pointer) => at.startsWith(pointer)))
  return h(
    Disclosure,
    { title: say('instance_form.advanced'), isOpen: isFaulty },
    h('p', { class: 'hint' }, say('instance_form.advanced_what')),
    h(SchemaForm, { ...settings, fields: rest(settings.fields), network, faults }),
    h(SchemaForm, { ...credentials, fields: rest(credentials.fields), network, faults }),
    h(LabelsField, { labels: entry.labels, onChange: entry.setLabels, faults }),
  )
}

/** A field, and whether most instances of the network need it. */
interface Entered extends SchemaField {
  readonly isNeeded: boolean
}

/**
 * Tells the fields that are needed from those that are not: of the settings the required ones, of the credentials those that do not
 * belong to a setting that may be left out, as a password of a proxy does.
 */
function sorted(network: Network): {
  readonly settings: readonly Entered[]
  readonly credentials: readonly Entered[]
} {
  const settings = fieldsOf(network.settings, '/settings', false)
  const seldom = settings.filter(({ isRequired }) => !isRequired)
  const belongs = (name: string) => seldom.some((setting) => name.startsWith(`${setting.name}_`))
  return {
    settings: settings.map((field) => ({ ...field, isNeeded: field.isRequired })),
    credentials: fieldsOf(network.credentials, '/credentials', true).map((field) => ({
      ...field,
      isNeeded: field.isRequired || !(network.for_trying || belongs(field.name)),
    })),
  }
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
  const { settings, credentials } = sorted(network)
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
