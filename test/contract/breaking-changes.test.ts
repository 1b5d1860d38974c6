import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { breakingChanges } from './breaking-changes.ts'
import type { ContractDocument } from './document.ts'
import { contractToday } from './released-contract.ts'

/* Changes that are planted in a contract: each that breaks a caller is found, and nothing else is. */

type Draft = Record<string, unknown>

const pet = {
  type: 'object',
  required: ['name', 'kind'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', maxLength: 10, minLength: 1, pattern: '^a' },
    kind: { enum: ['cat', 'dog'] },
    age: { type: ['integer', 'null'], minimum: 0 },
    parent: { $ref: '#/components/schemas/Pet' },
    home: {
      anyOf: [
        {
          type: 'object',
          required: ['type'],
          properties: { type: { const: 'house' }, rooms: { type: 'integer' } },
        },
        { type: 'object', required: ['type'], properties: { type: { const: 'street' } } },
      ],
    },
  },
}

const example = {
  paths: {
    '/pets': {
      post: {
        operationId: 'createPet',
        security: [{ apiKey: ['send'] }],
        parameters: [{ name: 'Dry', in: 'query', required: false, schema: { type: 'boolean' } }],
        requestBody: {
          required: false,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } },
        },
        responses: {
          200: {
            headers: { Location: { schema: { type: 'string' } } },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/PetShown' } } },
          },
          404: { content: { 'application/problem+json': { schema: { type: 'object' } } } },
        },
      },
    },
    '/open': { get: { operationId: 'readOpen', security: [], responses: { 204: {} } } },
  },
  webhooks: {
    'pet.born': {
      post: {
        requestBody: {
          content: { 'application/json': { schema: { $ref: '#/components/schemas/PetShown' } } },
        },
      },
    },
  },
  components: { schemas: { Pet: pet, PetShown: { ...pet, additionalProperties: true } } },
}

/** Changes the contract; returns what breaks. */
function breaksOf(change: (draft: Draft) => void): string[] {
  const draft = structuredClone(example)
  change(draft as unknown as Draft)
  return breakingChanges(example as unknown as ContractDocument, draft as unknown as ContractDocument)
}

/** The record at a place in a draft. */
function at(draft: Draft, ...path: readonly string[]): Draft {
  const found = path.reduce<unknown>((part, name) => (part as Draft | undefined)?.[name], draft)
  assert.ok(found !== null && typeof found === 'object', path.join(' '))
  return found as Draft
}

const post = (draft: Draft, ...path: readonly string[]) => at(draft, 'paths', '/pets', 'post', ...path)
const sent = (draft: Draft, ...path: readonly string[]) => at(draft, 'components', 'schemas', 'Pet', ...path)
const shown = (draft: Draft, ...path: readonly string[]) =>
  at(draft, 'components', 'schemas', 'PetShown', ...path)

/** Sets a value of a record, or removes it. */
function set(record: Draft, name: string, value?: unknown): void {
  if (value === undefined) delete record[name]
  else record[name] = value
}

/** Adds to a list. */
function add(list: Draft, value: unknown): void {
  ;(list as unknown as unknown[]).push(value)
}

const breaking: Readonly<Record<string, readonly [change: (draft: Draft) => void, found: RegExp]>> = {
  'an operation is gone': [(draft) => set(at(draft, 'paths'), '/open'), /GET \/open is gone/],
  'an operation is called otherwise': [
    (draft) => set(post(draft), 'operationId', 'addPet'),
    /another operationId/,
  ],
  'an open operation asks for a key': [
    (draft) => set(at(draft, 'paths', '/open', 'get'), 'security', [{ apiKey: [] }]),
    /asks for a key/,
  ],
  'a role does not suffice any more': [
    (draft) => set(post(draft), 'security', [{ apiKey: ['admin'] }]),
    /no longer takes apiKey send/,
  ],
  'a parameter is gone': [(draft) => set(post(draft), 'parameters', []), /query dry is gone/],
  'a parameter is required': [
    (draft) => set(post(draft, 'parameters', '0'), 'required', true),
    /query dry is required now/,
  ],
  'a parameter is new and required': [
    (draft) =>
      add(post(draft, 'parameters'), {
        name: 'Wet',
        in: 'query',
        required: true,
        schema: {},
      }),
    /query wet is new and required/,
  ],
  'a body is required': [(draft) => set(post(draft, 'requestBody'), 'required', true), /a body is required/],
  'a media type is gone': [
    (draft) => set(post(draft, 'requestBody'), 'content', {}),
    /application\/json is gone/,
  ],
  'a field is required': [
    (draft) => set(sent(draft), 'required', ['name', 'kind', 'age']),
    /body\.age is required now/,
  ],
  'a field is not taken any more': [(draft) => set(sent(draft, 'properties'), 'age'), /body\.age is gone/],
  'a value is not taken any more': [
    (draft) => set(sent(draft, 'properties', 'kind'), 'enum', ['cat']),
    /kind does not take "dog"/,
  ],
  'a type is not taken any more': [
    (draft) => set(sent(draft, 'properties', 'age'), 'type', 'integer'),
    /age may not be null/,
  ],
  'a text has to be shorter': [
    (draft) => set(sent(draft, 'properties', 'name'), 'maxLength', 9),
    /name: maxLength/,
  ],
  'a number has to be larger': [
    (draft) => set(sent(draft, 'properties', 'age'), 'minimum', 1),
    /age: minimum/,
  ],
  'a pattern is another': [
    (draft) => set(sent(draft, 'properties', 'name'), 'pattern', '^b'),
    /name: pattern/,
  ],
  'a choice is gone': [
    (draft) => void (sent(draft, 'properties', 'home', 'anyOf') as unknown as unknown[]).pop(),
    /choice type="street" is gone/,
  ],
  'a choice is narrower': [
    (draft) => set(sent(draft, 'properties', 'home', 'anyOf', '0'), 'required', ['type', 'rooms']),
    /rooms is required now/,
  ],
  'a response is gone': [(draft) => set(post(draft, 'responses'), '200'), /response 200 is gone/],
  'a header of a response is gone': [
    (draft) => set(post(draft, 'responses', '200'), 'headers', {}),
    /header Location is gone/,
  ],
  'a field of a response is gone': [(draft) => set(shown(draft, 'properties'), 'age'), /200\.age is gone/],
  'a field of a response has another type': [
    (draft) => set(shown(draft, 'properties', 'name'), 'type', 'integer'),
    /200\.name may be integer now/,
  ],
  'a field of a response may be null': [
    (draft) => set(shown(draft, 'properties', 'name'), 'type', ['string', 'null']),
    /200\.name may be null now/,
  ],
  'a field of a response may be missing': [
    (draft) => set(shown(draft), 'required', ['kind']),
    /200\.name may be missing now/,
  ],
  'a field of a response takes any value': [
    (draft) => set(shown(draft, 'properties'), 'kind', {}),
    /kind may have any value/,
  ],
  'a choice of a response cannot be told': [
    (draft) => add(shown(draft, 'properties', 'home', 'anyOf'), { type: 'null' }),
    /home may be null now/,
  ],
  'an event is gone': [(draft) => set(at(draft, 'webhooks'), 'pet.born'), /event pet\.born is gone/],
  'a field of an event is gone': [
    (draft) => set(shown(draft, 'properties'), 'age'),
    /event pet\.born\.age is gone/,
  ],
}

const harmless: Readonly<Record<string, (draft: Draft) => void>> = {
  'an operation': (draft) =>
    set(at(draft, 'paths'), '/new', { get: { operationId: 'readNew', responses: {} } }),
  'an optional parameter': (draft) =>
    add(post(draft, 'parameters'), {
      name: 'Wet',
      in: 'query',
      required: false,
      schema: {},
    }),
  'an optional field of a request': (draft) => set(sent(draft, 'properties'), 'colour', { type: 'string' }),
  'a value that requests may have': (draft) =>
    set(sent(draft, 'properties', 'kind'), 'enum', ['cat', 'dog', 'fish']),
  'a wider bound of a request': (draft) => set(sent(draft, 'properties', 'name'), 'maxLength', 20),
  'a field of a response': (draft) => set(shown(draft, 'properties'), 'colour', { type: 'string' }),
  'a value of a response': (draft) => set(shown(draft, 'properties', 'kind'), 'enum', ['cat', 'dog', 'fish']),
  'a choice of a response that says which it is': (draft) =>
    add(shown(draft, 'properties', 'home', 'anyOf'), {
      type: 'object',
      properties: { type: { const: 'boat' } },
    }),
  'a promise of a response': (draft) => set(shown(draft), 'required', ['name', 'kind', 'age']),
  'a problem': (draft) => set(post(draft, 'responses'), '409', {}),
  'an event': (draft) => set(at(draft, 'webhooks'), 'pet.fed', {}),
  'another name of a schema': (draft) => {
    set(at(draft, 'components', 'schemas'), 'Animal', structuredClone(pet))
    set(post(draft, 'requestBody', 'content', 'application/json'), 'schema', {
      $ref: '#/components/schemas/Animal',
    })
  },
}

describe('a change that breaks callers is found', () => {
  for (const [name, [change, found]] of Object.entries(breaking))
    test(name, () => assert.match(breaksOf(change).join('\n'), found))
})

describe('an addition breaks none:', () => {
  for (const [name, change] of Object.entries(harmless))
    test(name, () => assert.deepEqual(breaksOf(change), []))
})

test("today's contract breaks no caller of itself, and does if a field of a message goes", async () => {
  const today = await contractToday()
  assert.deepEqual(breakingChanges(today, today), [])
  const without = structuredClone(today) as unknown as Draft
  set(at(without, 'components', 'schemas', 'Message', 'properties'), 'status')
  const found = breakingChanges(today, without as unknown as ContractDocument)
  assert.ok(found.includes('GET /v1/messages/{id}: 200.status is gone'), found.join('\n'))
})
