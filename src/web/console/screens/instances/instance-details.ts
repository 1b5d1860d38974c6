import { type ComponentChildren, h } from 'preact'
import type { Answer, Network } from '../../core/operations.ts'
import { Copyable } from '../../parts/copy.ts'
import { Facts } from '../../parts/facts.ts'
import { Section } from '../../parts/screen.ts'
import { say } from '../../words/say.ts'
import { fieldName } from '../../words/server-texts.ts'
import { fieldsOf, type SchemaField, textOf } from './schema-fields.ts'

interface DetailsProps {
  readonly instance: Answer<'getInstance'>
  readonly network: Network
}

/** The setup of the instance: its settings, its pace, its labels, and the URL at which its network calls back. */
export function Details({ instance, network }: DetailsProps) {
  const { settings, metadata, callback_url } = instance
  const fields = fieldsOf(network.settings, '', false).filter(({ name }) => name !== 'pacing')
  const shown = fields.flatMap((field): [string, ComponentChildren][] => {
    const value = shownValue(field, settings[field.name])
    return value === undefined ? [] : [[fieldName(network.network, field.name), value]]
  })
  return h(
    Section,
    { id: 'details', title: say('instance_form.settings'), look: 'panel' },
    h(Facts, {
      facts: {
        ...Object.fromEntries(shown),
        [fieldName(network.network, 'pacing')]: paceOf(settings, network),
      },
    }),
    callback_url !== null && [
      h('h3', null, say('instances.callback_url')),
      h('p', { class: 'hint' }, say('instances.callback_hint')),
      h('p', null, h(Copyable, { text: callback_url })),
    ],
    Object.keys(metadata).length > 0 && [
      h('h3', null, say('instance_form.labels')),
      h(Facts, { facts: metadata }),
    ],
  )
}

/** Returns the value that was given, or else the default; undefined if neither is known. */
function shownValue({ kind, standard }: SchemaField, given: unknown): string | undefined {
  const value = given === undefined ? standard : textOf(given)
  if (value === undefined) return undefined
  const words = kind === 'boolean' ? say(value === 'true' ? 'everywhere.yes' : 'everywhere.no') : value
  return given === undefined ? say('instance_form.by_default', { value: words }) : words
}

/** The setting, whose form the contract documents. */
interface Pacing {
  readonly messages?: number
  readonly seconds?: number
  readonly pause?: { readonly min_seconds: number; readonly max_seconds: number }
  readonly off?: boolean
}

/** The pace at which messages leave, in words. */
function paceOf(settings: Readonly<Record<string, unknown>>, { limits }: Network): string {
  const own = settings.pacing as Pacing | undefined
  const { messages, seconds } = own?.messages === undefined ? (limits.pacing ?? {}) : own
  const pause = own?.pause ?? (own?.messages === undefined ? limits.pause : null)
  if (own?.off) return say('instances.pace_off')
  if (pause) return say('instances.pace_pause', { from: pause.min_seconds, to: pause.max_seconds })
  return messages === undefined || seconds === undefined
    ? say('instances.pace_off')
    : say('instances.pace_rate', { count: messages, seconds })
}
