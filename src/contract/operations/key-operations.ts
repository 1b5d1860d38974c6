import { idPattern } from '../../runtime/ids.ts'
import { operation } from '../operation.ts'
import { CreatedKey, CreateKey, exampleKey, Key } from '../resources/key.ts'
import { id, oneOf, orNull, page, paging, record } from '../scalars.ts'
import Type from '../type.ts'

const Me = record(
  'Me',
  {
    kind: oneOf(['key', 'operator'], {
      title: 'CallerKind',
      description: '`key`: a key of an organization. `operator`: the token of the operator.',
    }),
    organization: orNull(
      record(
        'OwnOrganization',
        {
          id: id('org', 'Identifies the organization.'),
          name: Type.String({ description: 'Its name.', examples: ['default'] }),
        },
        'The organization that the key belongs to; null for the operator, who belongs to none.',
      ),
    ),
    key: orNull(Key),
    version: Type.String({ description: 'The version of the server.', examples: ['0.1.0'] }),
  },
  'The caller: a key of an organization, or the operator.',
)

export const getMe = operation('GET /v1/me', {
  id: 'getMe',
  summary: 'Read your own key',
  description: 'Returns the role, the limits and the organization of the key that came with the request.',
  access: 'any',
  responses: {
    200: {
      description: 'The key, or the operator.',
      body: Me,
      example: {
        kind: 'key',
        organization: { id: 'org_06fdw2n0q8me4t1c9z7rk5hsab', name: 'default' },
        key: exampleKey,
        version: '0.1.0',
      },
    },
  },
})

export const keyParameter = Type.String({ pattern: idPattern('key'), description: 'The id of the key.' })

export const keysQuery = {
  revoked: Type.Optional(
    Type.Boolean({
      description: '`true` lists only revoked keys, `false` only those that are not revoked.',
      examples: [false],
    }),
  ),
  ...paging,
}

export const keyList = {
  description: 'A page of keys.',
  body: page('KeyPage', Key),
  example: { data: [exampleKey], next_cursor: null },
} as const

export const createdKey = {
  description: 'The key was created.',
  body: CreatedKey,
  example: { ...exampleKey, last_used_at: null, key: `phk_7h2k9x${'0'.repeat(53)}` },
} as const

export const keyExamples = {
  sender: {
    summary: 'For a program that sends',
    value: { name: 'Order system', role: 'send', instances: ['support'] },
  },
  reader: { summary: 'To read for a while', value: { role: 'read', expires_at: '2027-01-31T00:00:00Z' } },
} as const

/** Why a repeated request creates another key. */
export const noRepetition =
  'This operation takes no `Idempotency-Key`: the server does not store the key, so it could not show it again. If no ' +
  'response reaches you, list the keys, revoke the one that you did not receive, and create another.'

export const listKeys = operation('GET /v1/keys', {
  id: 'listKeys',
  summary: 'List the keys',
  description:
    'Lists the keys of your organization, newest first, without the secrets themselves. The server keeps the newest 1,000 ' +
    'keys that were revoked or have expired.',
  access: 'admin',
  query: record('ListKeysQuery', keysQuery),
  responses: { 200: keyList },
})

export const createKey = operation('POST /v1/keys', {
  id: 'createKey',
  summary: 'Create a key',
  description: `Creates a key of your organization, and shows it only this once. It cannot outlive the key that creates it. ${noRepetition}`,
  access: 'admin',
  body: CreateKey,
  responses: { 201: createdKey },
  problems: ['key_limit_reached'],
  examples: keyExamples,
})

export const revokeKey = operation('DELETE /v1/keys/{id}', {
  id: 'revokeKey',
  summary: 'Revoke a key',
  description:
    'Revokes the key: it is refused from then on, and its event streams end. Keys that it created stay valid. A key may ' +
    'revoke itself; if it is ' +
    'the last one with the role `admin`, only the operator can create another admin key. Revoking a key again changes nothing.',
  access: 'admin',
  params: record('KeyPath', { id: keyParameter }),
  responses: { 204: { description: 'The key is revoked.' } },
})

export const keyOperations = [getMe, listKeys, createKey, revokeKey] as const
