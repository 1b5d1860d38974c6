import { call } from '../../core/api.ts'
import { type ShownCall, shownCall } from '../../core/curl.ts'
import { type ItemOf, type Pages, usePages } from '../../core/hooks/use-pages.ts'
import type { Request } from '../../core/operations.ts'
import { linkTo } from '../../core/router.ts'

export type Key = ItemOf<'listKeys'>
export type NewKey = NonNullable<Exclude<Request<'createKey'>['body'], FormData>>

/** The keys of an organization: its own, or those that the operator gives it. */
export interface KeyCalls {
  readonly useKeys: (isRevoked: boolean) => Pages<Key>
  readonly create: (body: NewKey) => Promise<{ readonly key: string }>
  readonly revoke: (id: string) => Promise<unknown>
  /** The link to everything that a key has changed. */
  readonly auditLink: (id: string) => string
  readonly shownCreate: (body: NewKey) => ShownCall
}

export const ownKeys: KeyCalls = {
  useKeys: (revoked) => usePages('listKeys', { query: { limit: 100, revoked } }),
  create: (body) => call('createKey', { body }),
  revoke: (id) => call('revokeKey', { params: { id } }),
  auditLink: (actor) => linkTo(['audit'], { actor }),
  shownCreate: (body) => shownCall('createKey', { body }),
}

/** For the operator, who belongs to no organization. */
export function keysOf(organization: string): KeyCalls {
  const params = { organization }
  return {
    useKeys: (revoked) => usePages('listOrganizationKeys', { params, query: { limit: 100, revoked } }),
    create: (body) => call('createOrganizationKey', { params, body }),
    revoke: (id) => call('revokeOrganizationKey', { params: { organization, id } }),
    auditLink: (actor) => linkTo(['audit'], { organization, actor }),
    shownCreate: (body) => shownCall('createOrganizationKey', { params, body }),
  }
}
