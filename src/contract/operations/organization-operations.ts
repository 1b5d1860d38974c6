import type { Static } from 'typebox'
import { slugPattern } from '../../runtime/ids.ts'
import { operation, pageResponse } from '../operation.ts'
import { CreateKey } from '../resources/key.ts'
import { id, moment, page, paging, record } from '../scalars.ts'
import Type from '../type.ts'
import { createdKey, keyExamples, keyList, keyParameter, keysQuery, noRepetition } from './key-operations.ts'
import { exampleQuotas, Quotas } from './quota-operations.ts'

const OrganizationName = Type.String({
  pattern: slugPattern,
  description: 'The name of the organization: at most 63 characters, unique on this server.',
  examples: ['bakery'],
})

export const Organization = record(
  'Organization',
  {
    id: id('org', 'Identifies the organization.'),
    name: OrganizationName,
    created_at: moment('When it was created.'),
    usage: Quotas,
  },
  'An organization. Only its own keys see its instances, messages, events and keys.',
)
export type Organization = Static<typeof Organization>

const example: Organization = {
  id: 'org_06fdw2n0q8me4t1c9z7rk5hsab',
  name: 'bakery',
  created_at: '2026-11-20T09:30:00.000Z',
  usage: exampleQuotas,
}

const params = record('OrganizationPath', { organization: OrganizationName })

export const listOrganizations = operation('GET /v1/organizations', {
  id: 'listOrganizations',
  summary: 'List the organizations',
  description: 'Lists all organizations of the server by name, with their usage of each quota.',
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
  listOrganizationKeys,
  createOrganizationKey,
  revokeOrganizationKey,
  getOrganizationQuotas,
] as const
