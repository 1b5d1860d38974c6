import {
  type ContractDocument,
  type Json,
  type JsonRecord,
  listOf,
  recordOf,
  resolved,
  type Versions,
} from './document.ts'
import { schemaBreaks } from './schema-breaks.ts'

/** The same part of both documents, and its place for the report. */
interface Part {
  readonly versions: Versions
  readonly before: JsonRecord
  readonly after: JsonRecord
  readonly at: string
}

const methods = ['get', 'put', 'post', 'patch', 'delete', 'head', 'options']

/**
 * Returns the changes from one contract to the next that can break a caller of the first: one that sends what it allowed, reads what it
 * promised, and ignores what it does not know. Added operations, optional fields of requests, fields of responses and values of
 * enumerations in responses break none.
 */
export function breakingChanges(before: ContractDocument, after: ContractDocument): string[] {
  const versions = { before, after }
  return [
    ...operationsIn(versions, 'paths').flatMap((part) =>
      'after' in part ? operationBreaks(part) : [part.gone],
    ),
    ...operationsIn(versions, 'webhooks').flatMap((part) =>
      'after' in part ? eventBreaks(part) : [part.gone],
    ),
  ]
}

function operationsIn(
  versions: Versions,
  section: 'paths' | 'webhooks',
): (Part | { readonly gone: string })[] {
  const [before, after] = [versions.before[section] ?? {}, versions.after[section] ?? {}]
  return Object.entries(before).flatMap(([path, item]) =>
    methods.flatMap((method): (Part | { readonly gone: string })[] => {
      const old = recordOf(recordOf(item)[method])
      if (Object.keys(old).length === 0) return []
      const at = section === 'paths' ? `${method.toUpperCase()} ${path}` : `event ${path}`
      const next = recordOf(recordOf(after[path])[method])
      if (Object.keys(next).length === 0) return [{ gone: `${at} is gone` }]
      return [{ versions, before: old, after: next, at }]
    }),
  )
}

function operationBreaks(part: Part): string[] {
  const { before, after, at } = part
  return [
    ...(before.operationId === after.operationId ? [] : [`${at} has another operationId`]),
    ...securityBreaks(part),
    ...parameterBreaks(part),
    ...requestBreaks(part),
    ...responseBreaks(part),
  ]
}

/** Returns the ways to authenticate that are gone. An operation that was open may not ask for a key. */
function securityBreaks({ before, after, at }: Part): string[] {
  const waysOf = ({ security }: JsonRecord) => listOf(security).flatMap((way) => waysIn(recordOf(way)))
  const [old, next] = [waysOf(before), waysOf(after)]
  if (next.length === 0) return []
  if (old.length === 0) return [`${at} asks for a key`]
  return old.filter((way) => !next.includes(way)).map((way) => `${at} no longer takes ${way}`)
}

/** The schemes of one way, each with the lowest role that is let in. */
function waysIn(way: JsonRecord): string[] {
  return Object.entries(way).map(([scheme, roles]) => [scheme, ...listOf(roles)].join(' '))
}

function parameterBreaks({ versions, before, after, at }: Part): string[] {
  const parametersOf = (document: ContractDocument, operation: JsonRecord) =>
    new Map(
      listOf(operation.parameters).map((given) => {
        const parameter = resolved(document, given)
        return [`${parameter.in} ${String(parameter.name).toLowerCase()}`, parameter] as const
      }),
    )
  const old = parametersOf(versions.before, before)
  const next = parametersOf(versions.after, after)
  const kept = [...old].flatMap(([name, was]) => {
    const is = next.get(name)
    if (!is) return [`${at}: ${name} is gone`]
    const demands = was.required !== true && is.required === true ? [`${at}: ${name} is required now`] : []
    const place = { at: `${at}: ${name}`, direction: 'request' } as const
    return [...demands, ...schemaBreaks(versions, was.schema ?? {}, is.schema ?? {}, place)]
  })
  const added = [...next].flatMap(([name, { required }]) =>
    !old.has(name) && required === true ? [`${at}: ${name} is new and required`] : [],
  )
  return [...kept, ...added]
}

function requestBreaks({ versions, before, after, at }: Part): string[] {
  const [old, next] = [
    resolved(versions.before, before.requestBody ?? {}),
    resolved(versions.after, after.requestBody ?? {}),
  ]
  const demands = old.required !== true && next.required === true ? [`${at}: a body is required now`] : []
  const place = { at: `${at}: body`, direction: 'request' } as const
  return [...demands, ...contentBreaks(versions, old.content ?? {}, next.content ?? {}, place)]
}

/** Compares what callers get if all went well. Problems are a catalogue that only grows, and all have one shape. */
function responseBreaks({ versions, before, after, at }: Part): string[] {
  const next = recordOf(after.responses)
  return Object.entries(recordOf(before.responses)).flatMap(([status, given]) => {
    if (!status.startsWith('2')) return []
    if (next[status] === undefined) return [`${at}: the response ${status} is gone`]
    const was = resolved(versions.before, given)
    const is = resolved(versions.after, next[status])
    const headers = recordOf(is.headers)
    const gone = Object.keys(recordOf(was.headers)).filter((name) => headers[name] === undefined)
    const place = { at: `${at}: ${status}`, direction: 'response' } as const
    return [
      ...gone.map((name) => `${at}: ${status}: the header ${name} is gone`),
      ...contentBreaks(versions, was.content ?? {}, is.content ?? {}, place),
    ]
  })
}

/** Receivers read what is posted to them, as callers read responses. */
function eventBreaks({ versions, before, after, at }: Part): string[] {
  const [old, next] = [
    resolved(versions.before, before.requestBody ?? {}),
    resolved(versions.after, after.requestBody ?? {}),
  ]
  return contentBreaks(versions, old.content ?? {}, next.content ?? {}, { at, direction: 'response' })
}

function contentBreaks(
  versions: Versions,
  before: Json,
  after: Json,
  place: Parameters<typeof schemaBreaks>[3],
): string[] {
  const next = recordOf(after)
  return Object.entries(recordOf(before)).flatMap(([type, content]) => {
    const is = next[type]
    if (is === undefined) return [`${place.at}: ${type} is gone`]
    return schemaBreaks(versions, recordOf(content).schema ?? {}, recordOf(is).schema ?? {}, place)
  })
}
