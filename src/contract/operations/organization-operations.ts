import type { Static } from 'typebox'
import { slugPattern } from '../../runtime/ids.ts'
import { operation, pageResponse } from '../operation.ts'
import { marketingWords } from '../resources/instance.ts'
import { CreateKey } from '../resources/key.ts'
import { id, moment, orNull, page, paging, record } from '../scalars.ts'
import Type from '../type.ts'
import { createdKey, keyExamples, keyList, keyParameter, keysQuery, noRepetition } from './key-operations.ts'
import { exampleQuotas, Quotas } from './quota-operations.ts'

const OrganizationName = Type.String({
  pattern: slugPattern,
  description: 'The name of the organization: at most 63 characters, unique on this server.',
  examples: ['bakery'],
})

const count = (description: string) => Type.Integer({ minimum: 0, description })

const InstanceCounts = record(
  'OrganizationInstances',
  {
    total: count('All of them.'),
    connected: count('Those that are `connected`.'),
    need_person: count('Those that wait for a person, because they are `logged_out` or `failed`.'),
  },
  'The instances of an organization.',
)

const Traffic = record(
  'OrganizationTraffic',
  {
    accepted: count('Messages that were accepted to be sent.'),
    sent: count('Messages that the network accepted.'),
    failed: count('Messages that could not be sent, or expired before they could.'),
    received: count('Messages that were received.'),
    failed_share: orNull(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'The share of `failed` in `sent` and `failed` together; null if both are 0.',
      }),
    ),
  },
  'The messages of an organization in the hour of UTC that runs, and the 23 before it, as `GET /v1/statistics` counts them.',
)

const defaultWords = marketingWords(
  'They apply to each instance of the organization that has none of its own. Null for none.',
)

export const Organization = record(
  'Organization',
  {
    id: id('org', 'Identifies the organization.'),
    name: OrganizationName,
    created_at: moment('When it was created.'),
    usage: Quotas,
    instances: InstanceCounts,
    last_24_hours: Traffic,
    ...defaultWords,
  },
  'An organization. Only its own keys see its instances, messages, events and keys.',
)
export type Organization = Static<typeof Organization>

const example: Organization = {
  id: 'org_06fdw2n0q8me4t1c9z7rk5hsab',
  name: 'bakery',
  created_at: '2026-11-20T09:30:00.000Z',
  usage: exampleQuotas,
  instances: { total: 12, connected: 11, need_person: 1 },
  last_24_hours: { accepted: 1210, sent: 1176, failed: 24, received: 580, failed_share: 0.02 },
  stop_words: ['stop'],
  start_words: null,
}

const params = record('OrganizationPath', { organization: OrganizationName })

export const listOrganizations = operation('GET /v1/organizations', {
  id: 'listOrganizations',
  summary: 'List the organizations',
  description:
    'Lists all organizations of the server by name, with their usage of each quota, their instances, and their messages of the last 24 hours.',
  access: 'operator',
  query: record('ListOrganizationsQuery', paging),
  responses: {
    200: pageResponse('A page of organizations.', page('OrganizationPage', Organization), [example]),
  },
})

export const createOrganization = operation('POST /v1/organizations', {
  id: 'createOrganization',
  summary: 'Create an organization',
  description:
    'Creates an organization. It has no key yet: create the first one next. An organization cannot be renamed or removed.',
  access: 'operator',
  body: record('CreateOrganization', { name: OrganizationName }),
  responses: { 201: { description: 'The organization was created.', body: Organization, example } },
  problems: ['organization_name_taken'],
  examples: { bakery: { summary: 'A customer', value: { name: 'bakery' } } },
})

export const getOrganization = operation('GET /v1/organizations/{organization}', {
  id: 'getOrganization',
  summary: 'Read an organization',
  description: 'Returns the organization as the list shows it.',
  access: 'operator',
  params,
  responses: { 200: { description: 'The organization.', body: Organization, example } },
})

export const updateOrganization = operation('PATCH /v1/organizations/{organization}', {
  id: 'updateOrganization',
  summary: 'Change an organization',
  description:
    'Changes the fields that the body contains: the words by which people stop and start marketing, for the instances of the ' +
    'organization that have none of their own. They count for messages that arrive from then on.',
  access: 'operator',
  params,
  body: record('UpdateOrganization', {
    stop_words: Type.Optional(defaultWords.stop_words),
    start_words: Type.Optional(defaultWords.start_words),
  }),
  responses: { 200: { description: 'The changed organization.', body: Organization, example } },
  examples: {
    words: {
      summary: 'Words to stop marketing',
      value: { stop_words: ['stop', 'sair'], start_words: ['voltar'] },
    },
  },
})

export const listOrganizationKeys = operation('GET /v1/organizations/{organization}/keys', {
  id: 'listOrganizationKeys',
  summary: 'List the keys of an organization',
  description: 'Lists the keys of the organization, as `GET /v1/keys` does for the organization itself.',
  access: 'operator',
  params,
  query: record('ListOrganizationKeysQuery', keysQuery),
  responses: { 200: keyList },
})

export const createOrganizationKey = operation('POST /v1/organizations/{organization}/keys', {
  id: 'createOrganizationKey',
  summary: 'Create a key of an organization',
  description: `Creates a key of the organization, such as its first one with the role \`admin\`, and shows it only this once. ${noRepetition}`,
  access: 'operator',
  auditedAs: 'createKey',
  params,
  body: CreateKey,
  responses: { 201: createdKey },
  problems: ['key_limit_reached'],
  examples: {
    first: { summary: 'The first key', value: { name: 'First key', role: 'admin' } },
    ...keyExamples,
  },
})

export const revokeOrganizationKey = operation('DELETE /v1/organizations/{organization}/keys/{id}', {
  id: 'revokeOrganizationKey',
  summary: 'Revoke a key of an organization',
  description: 'Revokes the key, as `DELETE /v1/keys/{id}` does for the organization itself.',
  access: 'operator',
  auditedAs: 'revokeKey',
  params: record('OrganizationKeyPath', { organization: OrganizationName, id: keyParameter }),
  responses: { 204: { description: 'The key is revoked.' } },
  problems: ['organization_not_found'],
})

export const getOrganizationQuotas = operation('GET /v1/organizations/{organization}/quotas', {
  id: 'getOrganizationQuotas',
  summary: 'Read the quotas of an organization',
  description: 'Returns how much the organization uses of each quota, and how much is left.',
  access: 'operator',
  params,
  responses: { 200: { description: 'The quotas.', body: Quotas, example: exampleQuotas } },
})

export const organizationOperations = [
  listOrganizations,
  createOrganization,
  getOrganization,
  updateOrganization,
  listOrganizationKeys,
  createOrganizationKey,
  revokeOrganizationKey,
  getOrganizationQuotas,
] as const
