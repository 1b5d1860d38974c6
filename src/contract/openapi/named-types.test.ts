import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import Type from 'typebox'
import { pigeons } from '../../../test/kit/networks/pigeons.ts'
import { operations } from '../operations.ts'
import { record } from '../scalars.ts'
import type { JsonObject, ResponseObject } from './document.ts'
import { openapi } from './openapi.ts'

const settings = record('Lofts', { loft: Type.String({ description: 'Where the pigeons live.' }) })
const document = openapi({ version: '1.2.3', networks: [{ ...pigeons, settings }] })

/** Follows a reference within the document; anything else is returned as it is. */
function resolved(value: unknown): unknown {
  const reference = (value as { $ref?: string }).$ref
  if (!reference) return value
  const steps = reference.slice(2).split('/')
  return steps.reduce((at: unknown, step) => (at as Record<string, unknown>)[step], document)
}

describe('what generators make types of', () => {
  /** Every schema in requests and responses, each with its place. */
  function* schemasIn(schema: JsonObject, place: string): Generator<readonly [string, JsonObject]> {
    yield [place, schema]
    const lists = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => (schema[key] ?? []) as readonly JsonObject[])
    for (const [index, one] of lists.entries()) yield* schemasIn(one, `${place}/${index}`)
    for (const [name, one] of Object.entries((schema.properties ?? {}) as Record<string, JsonObject>))
      yield* schemasIn(one, `${place}.${name}`)
    if (schema.items) yield* schemasIn(schema.items as JsonObject, `${place}[]`)
  }
  const anonymous = (schema: JsonObject) =>
    schema.enum !== undefined || schema.properties !== undefined || schema.anyOf || schema.type === 'object'
  const orNothing = ({ anyOf }: JsonObject) =>
    Array.isArray(anyOf) && anyOf.length === 2 && anyOf[0].$ref && anyOf[1].type === 'null'

  test('objects, unions and lists of words have names, wherever they stand', () => {
    const named = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
      [...schemasIn(schema, name)].slice(1),
    )
    const bodies = operations.flatMap((operation) => {
      const described = document.paths[operation.path]?.[operation.method.toLowerCase()]
      const { responses = {}, requestBody } = described ?? {}
      const replies = Object.values(responses).map(
        (response) => (resolved(response) as ResponseObject).content,
      )
      return [requestBody?.content, ...replies].flatMap((content) =>
        Object.values(content ?? {}).map(({ schema }) => [operation.id, schema] as const),
      )
    })
    const without = [...named, ...bodies].filter(([, schema]) => anonymous(schema) && !orNothing(schema))
    assert.deepEqual(without, [])
  })

  test('parameters have names of their own, which are not those of schemas', () => {
    const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
    const { schemas, parameters, responses } = document.components
    const types = new Set(Object.keys(schemas).map(plain))
    const names = [...Object.keys(parameters), ...Object.keys(responses)]
    assert.deepEqual(
      names.filter((name) => types.has(plain(name))),
      [],
    )
    for (const name of ['InstanceName', 'MessageId', 'WebhookId', 'DeliveryId', 'OrganizationName', 'KeyId'])
      assert.ok(parameters[name], name)
    assert.ok(parameters.LimitParameter && parameters.PreferHeader)
  })

  test('settings and credentials are the shapes of each network, or an open object', () => {
    const { schemas } = document.components
    const choice = (noun: string) => [
      { $ref: `#/components/schemas/Pigeon${noun}` },
      { $ref: `#/components/schemas/Other${noun}` },
    ]
    assert.deepEqual(schemas.NewSettings?.anyOf, choice('Settings'))
    assert.deepEqual(schemas.Credentials?.anyOf, choice('Credentials'))
    assert.equal(schemas.OtherSettings?.additionalProperties, true)
    assert.equal(schemas.Settings?.additionalProperties, true)
    assert.deepEqual(schemas.PigeonSettings?.required, ['loft'])
  })
})
