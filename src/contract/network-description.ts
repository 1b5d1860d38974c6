import type { TObject } from 'typebox'
import { type CodeMeaning, statusAfter } from './codes.ts'
import type { Network } from './resources/network.ts'

/** A driver's description of its network. */
export interface NetworkDescription
  extends Pick<Network, 'network' | 'title' | 'description' | 'abilities' | 'limits'> {
  readonly isSimulated?: true
  readonly settings: TObject
  readonly credentials: TObject
  readonly fixedSettings: readonly string[]
  /** Present if the network has templates. */
  readonly templates?: { readonly component: TObject }
  /** By code: why a connection ends, and how. */
  readonly reasons: Readonly<Record<string, CodeMeaning & { readonly ends: keyof typeof statusAfter }>>
  /** By code: why a message is refused. */
  readonly errors: Readonly<Record<string, CodeMeaning>>
  /** By code: what may be done otherwise than it was asked for. */
  readonly notices?: Readonly<Record<string, CodeMeaning>>
  /** By code: what the network may restrict an account in. */
  readonly restrictions?: Readonly<Record<string, CodeMeaning>>
}

/** The network as callers see it. */
export function networkOf(described: NetworkDescription): Network {
  const {
    network,
    title,
    isSimulated = false,
    description,
    abilities,
    limits,
    settings,
    credentials,
    fixedSettings,
  } = described
  const reasons = Object.entries(described.reasons).map(([code, { ends, happened, next }]) => ({
    code,
    status: statusAfter[ends],
    happened,
    next,
  }))
  return {
    network,
    title,
    for_trying: isSimulated,
    description,
    abilities,
    limits,
    settings: plainSchema(settings),
    credentials: plainSchema(credentials),
    fixed_settings: [...fixedSettings],
    template_component: described.templates ? plainSchema(described.templates.component) : null,
    reasons,
    errors: meaningsOf(described.errors),
    notices: meaningsOf(described.notices ?? {}),
    restrictions: meaningsOf(described.restrictions ?? {}),
  }
}

function meaningsOf(codes: Readonly<Record<string, CodeMeaning>>) {
  return Object.entries(codes).map(([code, { happened, next }]) => ({ code, happened, next }))
}

/** The schema without what only its library sees. */
function plainSchema(schema: TObject): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema)) as Record<string, unknown>
}
