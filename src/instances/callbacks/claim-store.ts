import type { CallbackPart, Claim } from '../../networks/driver/abilities/callbacks.ts'
import { batchStatement, statement } from '../../store/statement.ts'
import { isForeign, type OfTurn, read, type StoreFunctions, transaction } from '../../store/store.ts'

/**
 * Milliseconds for which a claim is safe without a new proof: as long as networks repeat callbacks. A connection proves it
 * again with each probe.
 */
const claimLasts = 7 * 24 * 60 * 60_000

/** The instance that has claimed an account. */
export interface Holder {
  readonly instance: string
  /** The time of its last claim; null if its credentials were replaced since. */
  readonly claimedAt: number | null
}

/** Result of a claim; `gone` if the instance is removed, or no longer uses the callback URL of the operator. */
export type BindingResult =
  | {
      readonly kind: 'claimed'
      /** The instance that has lost the account to this one. */
      readonly from: string | null
    }
  | { readonly kind: 'taken'; readonly by: Holder }
  | { readonly kind: 'gone' }

interface ClaimArgs extends Claim, OfTurn {
  readonly instance: string
  readonly now: number
  /** A holder that could not prove the account when this instance asked for it. It loses it, unless it has claimed it again since. */
  readonly refuted?: Holder
}

const selectClaimant = statement<{ instance: string }>()((sql, argument) =>
  sql
    .selectFrom('instances')
    .select(['organization_id', 'network', 'wanted', 'shared_callback'])
    .where('id', '=', argument('instance')),
)

const selectHolder = statement<{ network: string; account: string; instance: string }>()((sql, argument) =>
  sql
    .selectFrom('instances')
    .select(['id', 'wanted', 'status', 'last_verified_at', 'claimed_at'])
    .where('network', '=', argument('network'))
    .where('claimed_account', '=', argument('account'))
    .where('id', '!=', argument('instance')),
)

const setClaim = statement<Claim & { instance: string; now: number }>()((sql, argument) =>
  sql
    .updateTable('instances')
    .set({
      claimed_account: argument('account'),
      claimed_group: argument('group'),
      claimed_at: argument('now'),
    })
    .where('id', '=', argument('instance')),
)

/** Columns of an instance that has claimed nothing. */
export const nothingClaimed = { claimed_account: null, claimed_group: null, claimed_at: null }

const freeClaim = statement<{ instance: string }>()((sql, argument) =>
  sql.updateTable('instances').set(nothingClaimed).where('id', '=', argument('instance')),
)

/**
 * Gives an account to an instance that has just proven to its network that it reaches it. Another instance loses it only if its own
 * proof is worth nothing any longer: the network has refused it since, it is removed, it has proven nothing for a week, or it could not
 * prove it again just now (`refuted`).
 */
export const claimAccount = transaction(
  'callbacks.claim',
  async (tx, args: ClaimArgs): Promise<BindingResult> => {
    const { instance, account, group, now, refuted } = args
    const claimant = await tx.first(selectClaimant, { instance })
    if (!claimant || claimant.wanted === 'removed' || claimant.shared_callback === 0) return { kind: 'gone' }
    if (isForeign(args, claimant.organization_id)) return { kind: 'gone' }
    const holder = await tx.first(selectHolder, { network: claimant.network, account, instance })
    if (holder) {
      const { wanted, status, last_verified_at, claimed_at } = holder
      const isRefused = wanted === 'removed' || status === 'logged_out' || status === 'failed'
      const provenAt = Math.max(last_verified_at ?? 0, claimed_at ?? 0)
      const isRefuted = refuted?.instance === holder.id && refuted.claimedAt === claimed_at
      if (!isRefused && !isRefuted && now - provenAt < claimLasts)
        return { kind: 'taken', by: { instance: holder.id, claimedAt: claimed_at } }
      await tx.run(freeClaim, { instance: holder.id })
    }
    await tx.run(setClaim, { instance, account, group, now })
    return { kind: 'claimed', from: holder?.id ?? null }
  },
  // The holder may be another organization's.
  { touches: () => 'all', isToldTurn: true },
)

type Name = Pick<CallbackPart, 'about' | 'name'>

/** An instance that gets what is posted about something. */
export interface Claimant extends Name {
  readonly instanceId: string
  readonly organizationId: string
}

interface Asked {
  readonly network: string
  readonly name: string
}
const askedColumns = { network: 'text', name: 'text' } as const

const selectBy = (column: 'claimed_account' | 'claimed_group') =>
  batchStatement<Asked>(askedColumns)((sql, given) =>
    sql
      .selectFrom('instances')
      .select(['id', 'organization_id', `${column} as name`])
      .where('network', '=', given('network'))
      .where(column, '=', given('name'))
      .where('wanted', '!=', 'removed'),
  )
const selectByAccount = selectBy('claimed_account')
const selectByGroup = selectBy('claimed_group')

/** Returns the instances that get the callbacks about these accounts and groups. */
export const findClaimants = read(
  'callbacks.claimants',
  async (
    reader,
    args: { readonly network: string; readonly names: readonly Name[] },
  ): Promise<Claimant[]> => {
    const { network, names } = args
    const asked = (which: Name['about']) =>
      names.filter(({ about }) => about === which).map(({ name }) => ({ network, name }))
    const found = {
      account: await reader.allForEach(selectByAccount, asked('account')),
      group: await reader.allForEach(selectByGroup, asked('group')),
    }
    return (['account', 'group'] as const).flatMap((about) =>
      found[about].map(({ id, organization_id: organizationId, name }) => {
        return { about, name: name ?? '', instanceId: id, organizationId }
      }),
    )
  },
)

export const claimFunctions: StoreFunctions = { reads: [findClaimants], transactions: [claimAccount] }
