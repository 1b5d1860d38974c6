import { timingSafeEqual } from 'node:crypto'
import type { Caller } from '../../contract/handler.ts'
import type { Clock } from '../../runtime/clock.ts'
import { digestOf, isToken } from '../../runtime/secrets/token.ts'
import type { Store } from '../../store/store.ts'
import { findLinkPage } from './link-page-store.ts'

/** Identifies link pages by their tokens. */
export class LinkPages {
  readonly #store: Pick<Store, 'read'>
  readonly #clock: Clock

  constructor(store: Pick<Store, 'read'>, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /**
   * Returns the page as a caller, in the name of the key that made it; `ended` if there is no such page, or if it or its key
   * has ended, which a visitor cannot tell apart; undefined for what is no token of a page.
   */
  async identify(token: string): Promise<Caller | 'ended' | undefined> {
    if (!isToken('phl', token)) return undefined
    const digest = digestOf(token)
    const row = await this.#store.read(findLinkPage, { digest })
    if (!row || !timingSafeEqual(Buffer.from(row.digest), Buffer.from(digest))) return 'ended'
    const now = this.#clock.now()
    const isKeyLiving = row.key_revoked_at === null && (row.key_expires_at ?? now + 1) > now
    if (!isKeyLiving || row.expires_at <= now || row.wanted === 'removed') return 'ended'
    return {
      organizationId: row.organization_id,
      keyId: row.key_id,
      keyHint: row.key_hint,
      role: 'read',
      instances: [row.instance_name],
      linkPage: {
        id: row.id,
        instanceId: row.instance_id,
        instanceName: row.instance_name,
        expiresAt: row.expires_at,
        isLinked: row.linked_at !== null,
        title: row.title,
        hasPicture: row.picture_type !== null,
        language: row.language,
      },
    }
  }
}
