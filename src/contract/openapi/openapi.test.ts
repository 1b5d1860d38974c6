import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import Type, { type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { lintContract } from '../../../test/kit/http/lint-contract.ts'
import { pigeons } from '../../../test/kit/networks/pigeons.ts'
import { deliveryFailures, instanceReasons, messageErrors, webhookDisabledReasons } from '../codes.ts'
import { responseHeaders } from '../headers.ts'
import { type Operation, operation, problemsOf, problemsOutsideOperations } from '../operation.ts'
import { operations, tagOf, tags } from '../operations.ts'
import { ProblemBody } from '../problem-body.ts'
import { problemCodes, problems } from '../problems.ts'
import { eventTypes, schemaOfEvent } from '../resources/event.ts'
import { exampleEvent } from '../resources/event-examples.ts'
import { record } from '../scalars.ts'
import { instanceStatuses, messageStatuses } from '../statuses.ts'
import type { Example, ResponseObject } from './document.ts'
import { type OpenApiInput, openapi } from './openapi.ts'

const input: OpenApiInput = { version: '1.2.3', networks: [pigeons] }
const document = openapi(input)

function described(operation: Operation) {
  const found = document.paths[operation.path]?.[operation.method.toLowerCase()]
  assert.ok(found, `${operation.id} is not in the document`)
  return found
}

function sectionOf(name: string): string {
  return String(document.tags.find((tag) => tag.name === name)?.description)
}

/** Follows a reference within the document; anything else is returned as it is. */
function resolved(value: unknown): unknown {
  const reference = (value as { $ref?: string }).$ref
  if (!reference) return value
  const steps = reference.slice(2).split('/')
  return steps.reduce((at: unknown, step) => (at as Record<string, unknown>)[step], document)
}

function assertFits(schema: TSchema, value: unknown, what: string): void {
  const compiled = Compile(schema)
  assert.ok(compiled.Check(value), `${what}: ${JSON.stringify(compiled.Errors(value))}`)
}

describe('the document and its rules', () => {
  test('passes the recommended rules of Redocly with no error and no warning', async () => {
    assert.deepEqual(await lintContract(document), [])
    assert.deepEqual(await lintContract(openapi({ version: '0.0.1', networks: [] })), [])
  })

  test('the linter does find what is wrong', async () => {
    const found = await lintContract({ ...document, servers: [], tags: [{ name: 'Bare' }] })
    assert.ok(found.some((line) => line.includes('no-empty-servers')))
    assert.ok(found.some((line) => line.includes('tag-description')))
  })

  test('is plain JSON, and equal when derived again', () => {
    assert.deepEqual(JSON.parse(JSON.stringify(document)), document)
    assert.equal(JSON.stringify(openapi(input)), JSON.stringify(document))
  })

  test('names the server by its base URL, without a slash at the end', () => {
    assert.equal(
      openapi({ ...input, baseUrl: 'https://gateway.example/' }).servers[0]?.url,
      'https://gateway.example',
    )
    assert.equal(document.servers[0]?.url, '/')
  })

  test('has no pattern that only some dialects of regular expressions read', () => {
    const patterns = JSON.stringify(document).match(/"pattern":"(?:[^"\\]|\\.)*"/g) ?? []
    assert.ok(patterns.length > 10)
    assert.deepEqual(
      patterns.filter((pattern) => /\\p|\(\?(?!:)/i.test(pattern)),
      [],
    )
  })

  test('has no source code in its texts', () => {
    assert.doesNotMatch(JSON.stringify(document), /' \+|\+ '/)
  })

  test('an error of messages that are held after a restore is explained under that heading, and no other is', () => {
    const sections = sectionOf('Messages').split('\n\n## ')
    const codesUnder = (heading: string) =>
      [...(sections.find((text) => text.startsWith(heading)) ?? '').matchAll(/^\| `(\w+)` /gm)].map(
        ([, code]) => code,
      )
    assert.deepEqual(codesUnder('When the server is restored'), ['held_after_restore'])
    const { held_after_restore: _, ...others } = messageErrors
    assert.deepEqual(codesUnder('When a message cannot be sent'), Object.keys(others))
  })

  test('every description is a sentence', () => {
    const walk = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return
      for (const [key, inner] of Object.entries(value)) {
        if (key === 'example' || key === 'examples') continue
        const isPage = path === '/info' || path.startsWith('/tags/')
        const isText = key === 'description' && typeof inner === 'string' && !isPage
        if (isText) assert.match(inner, /^[A-Z`1-9*-][\s\S]*[.]$/, `${path}: ${inner}`)
        walk(inner, `${path}/${key}`)
      }
    }
    walk(document, '')
  })
})

describe('the operations in the document', () => {
  test('every operation is described, under its id and nowhere else', () => {
    const ids = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map((at) => at.operationId),
    )
    assert.deepEqual([...ids].sort(), operations.map(({ id }) => id).sort())
    for (const operation of operations) assert.equal(described(operation).operationId, operation.id)
  })

  test('every tag that is used is described, and every one that is described is used', () => {
    assert.deepEqual(new Set(operations.map(tagOf)), new Set(tags.map(({ name }) => name)))
  })

  test('every section stands in one group', () => {
    const grouped = document['x-tagGroups'].flatMap((group) => group.tags)
    assert.deepEqual(grouped.toSorted(), document.tags.map(({ name }) => name).toSorted())
  })

  test('every status is explained where it is described and in its section', () => {
    for (const [section, statuses] of [
      ['Instances', instanceStatuses],
      ['Messages', messageStatuses],
    ] as const) {
      for (const status of statuses)
        assert.match(sectionOf(section), new RegExp(`^\\| \`${status}\` \\| `, 'm'))
    }
  })

  test('the parameters of the path are those in its braces', () => {
    for (const operation of operations) {
      const inPath = [...operation.path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1])
      assert.deepEqual(Object.keys(operation.params?.properties ?? {}), inPath, operation.id)
      const parameters = (described(operation).parameters ?? []).map(resolved) as {
        name: string
        in: string
      }[]
      assert.deepEqual(
        parameters.filter((each) => each.in === 'path').map((each) => each.name),
        inPath,
      )
    }
  })

  test('security follows access', () => {
    for (const operation of operations) {
      const expected = {
        open: [],
        any: [{ apiKey: [] }, { operatorToken: [] }],
        metrics: [{ metricsToken: [] }, { operatorToken: [] }],
        operator: [{ operatorToken: [] }],
        link_page: [{ linkPageToken: [] }],
      }[operation.access as string]
      assert.deepEqual(
        described(operation).security,
        expected ?? [{ apiKey: [operation.access] }],
        operation.id,
      )
    }
  })

  test('every reply and every problem has its status, and there is no other', () => {
    for (const operation of operations) {
      const statuses = [
        ...Object.keys(operation.responses),
        ...problemsOf(operation).map((code) => String(problems[code].status)),
      ]
      assert.deepEqual(new Set(Object.keys(described(operation).responses)), new Set(statuses), operation.id)
    }
  })

  test('every response carries Request-Id', () => {
    for (const operation of operations) {
      for (const [status, response] of Object.entries(described(operation).responses)) {
        const { headers } = resolved(response) as ResponseObject
        assert.ok(headers['Request-Id'], `${operation.id} ${status}`)
      }
    }
  })

  test('lists in a query stand in one value, separated by commas', () => {
    const reading = operations.find(({ id }) => id === 'listEvents') as Operation
    const parameters = (described(reading).parameters ?? []).map(resolved) as {
      explode?: boolean
      name: string
    }[]
    const lists = parameters.filter(({ explode }) => explode === false).map(({ name }) => name)
    assert.deepEqual(lists, ['types', 'instances'])
    assert.ok(parameters.some(({ name }) => name === 'Last-Event-ID'))
  })

  test('a body is required, except where the operation needs none', () => {
    const optional = operations.filter((operation) => described(operation).requestBody?.required === false)
    assert.deepEqual(
      optional.map(({ id }) => id),
      ['startLink', 'createLinkPage', 'startLinkOnPage', 'getInviteLink'],
    )
  })

  test('uploads say how their parts are encoded, on both paths', () => {
    for (const id of ['sendMediaMessage', 'uploadMediaMessage']) {
      const upload = operations.find((operation) => operation.id === id) as Operation
      assert.deepEqual(described(upload).requestBody?.content['multipart/form-data']?.encoding, {
        metadata: { contentType: 'application/json' },
        mentions: { contentType: 'application/json' },
        file: { contentType: 'application/octet-stream' },
      })
    }
  })
})

describe('the examples', () => {
  test('requests fit their schemas', () => {
    for (const operation of operations) {
      if (operation.body) assert.ok(operation.examples, `${operation.id} has no example`)
      for (const [name, { value }] of Object.entries(operation.examples ?? {})) {
        assertFits(operation.body as TSchema, value, `${operation.id} ${name}`)
      }
      if (operation.multipart) assert.ok(operation.multipartExamples, `${operation.id} has no upload example`)
      for (const [name, { value }] of Object.entries(operation.multipartExamples ?? {})) {
        assertFits(operation.multipart as TSchema, value, `${operation.id} ${name}`)
      }
    }
  })

  test('replies fit their schemas', () => {
    for (const operation of operations) {
      for (const [status, reply] of Object.entries(operation.responses)) {
        if (reply.body) assertFits(reply.body, reply.example, `${operation.id} ${status}`)
      }
    }
  })

  test('problems fit their schema, and each operation shows all of its own', () => {
    for (const operation of operations) {
      const shown = Object.values(described(operation).responses).flatMap((response) => {
        const { content } = resolved(response) as ResponseObject
        return Object.entries(content?.['application/problem+json']?.examples ?? {})
      })
      assert.deepEqual(shown.map(([code]) => code).sort(), [...problemsOf(operation)].sort(), operation.id)
      for (const [code, example] of shown) {
        const { value } = resolved(example) as Example
        assertFits(ProblemBody, value, code)
        assert.equal((value as { code: string }).code, code)
      }
    }
  })

  test('headers and parameters fit their schemas', () => {
    for (const { schema, example } of Object.values(responseHeaders)) assertFits(schema, example, example)
    for (const parameter of Object.values(document.components.parameters)) {
      if (parameter.example !== undefined) {
        assertFits(parameter.schema as unknown as TSchema, parameter.example, parameter.name)
      }
    }
  })
})

describe('the webhooks', () => {
  test('every type of event is described, with an example that fits', () => {
    assert.deepEqual(Object.keys(document.webhooks), eventTypes)
    for (const type of eventTypes) assertFits(schemaOfEvent(type), exampleEvent(type), type)
  })

  test('an event fits no other type than its own', () => {
    for (const type of eventTypes)
      for (const other of eventTypes)
        if (type !== other)
          assert.ok(!Compile(schemaOfEvent(other)).Check(exampleEvent(type)), `${type} ${other}`)
  })
})

describe('the problems', () => {
  test('every problem of the catalogue is answered somewhere', () => {
    const answered = new Set([...operations.flatMap(problemsOf), ...problemsOutsideOperations])
    assert.deepEqual(
      problemCodes.filter((code) => !answered.has(code)),
      [],
    )
  })

  test('a header that only one of several problems of a status carries is not required', () => {
    const named = (part: RegExp) => {
      const name = Object.keys(document.components.responses).find((one) => part.test(one)) ?? ''
      return document.components.responses[name]?.headers['Retry-After']
    }
    const required = { $ref: '#/components/headers/Retry-After' }
    assert.deepEqual(named(/RateLimited/), required)
    assert.deepEqual(named(/^QueueFullOr|OrQueueFull/), required)
    const onOne = named(/IdempotencyInProgressOrInstanceDeleting/) as { required: boolean }
    assert.equal(onOne.required, false)
  })

  test('every problem is explained in its section', () => {
    for (const code of problemCodes)
      assert.ok(sectionOf('Problems').includes(`| \`${code}\` | ${problems[code].status} |`), code)
  })

  test('every reason that does not depend on the network is explained in its section', () => {
    for (const [code, { happened, next }] of Object.entries(instanceReasons)) {
      assert.ok(sectionOf('Reasons').includes(`| \`${code}\` | `), code)
      for (const sentence of [happened, next]) assert.match(sentence, /^[A-Z].*\.$/, code)
    }
  })

  test('why an event does not arrive, and why a webhook is disabled, is explained in the section of webhooks', () => {
    for (const [code, { happened, next }] of Object.entries({
      ...deliveryFailures,
      ...webhookDisabledReasons,
    })) {
      assert.ok(sectionOf('Webhooks').includes(`| \`${code}\` | ${happened} | ${next} |`), code)
      for (const sentence of [happened, next]) assert.match(sentence, /^[A-Z].*\.$/, code)
    }
  })
})

describe('schemas with a title', () => {
  const of = (id: string, body: TSchema, example: unknown) =>
    operation(`GET /v1/events/${id}`, {
      id,
      summary: 'Try',
      description: 'A trial.',
      access: 'open',
      responses: { 200: { description: 'Fine.', body, example } },
    })

  test('are defined once and referred to', () => {
    const inner = record('Inner', { a: Type.String() })
    const { components } = openapi({
      ...input,
      operations: [of('one', record('Outer', { inner, again: Type.Union([inner, Type.Null()]) }), {})],
    })
    assert.deepEqual(components.schemas.Outer?.properties, {
      inner: { $ref: '#/components/schemas/Inner' },
      again: { anyOf: [{ $ref: '#/components/schemas/Inner' }, { type: 'null' }] },
    })
  })

  test('two different ones under one title are refused', () => {
    const first = of('one', record('Thing', { a: Type.String() }), {})
    const second = of('two', record('Thing', { b: Type.String() }), {})
    assert.throws(
      () => openapi({ ...input, operations: [first, second] }),
      /two different schemas have the title Thing/,
    )
  })

  test('a property that happens to be called title is no name', () => {
    const body = record('Book', { title: Type.String({ description: 'Its title.' }) })
    const { components } = openapi({ ...input, operations: [of('one', body, {})] })
    const without = Object.keys(openapi({ ...input, operations: [] }).components.schemas)
    const names = Object.keys(components.schemas).filter((name) => !without.includes(name))
    assert.deepEqual(names.sort(), ['Book', 'InvalidValue', 'Problem', 'ProblemCode'])
  })

  test('a reply without an example is refused', () => {
    assert.throws(
      () => openapi({ ...input, operations: [of('one', Type.String(), undefined)] }),
      /has no example/,
    )
  })
})
