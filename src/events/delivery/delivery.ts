import { statement } from '../../store/statement.ts'
import { briefRead, type StoreFunctions, transaction } from '../../store/store.ts'
import { type ClaimArgs, claimDeliveries, type DeliveryClaim } from './queue/claim-deliveries.ts'
import { fanOut } from './queue/fan-out.ts'
import { type DeliveryAttempted, settleAttempts } from './queue/settle-attempts.ts'

/*
 * Delivery to webhooks. An event is in the journal from the commit that made it true. Fan-out gives it to the webhooks that
 * want it, as rows in `deliveries`; due deliveries are claimed and attempted, and their outcomes are settled. One transaction
 * for an organization settles, fans out and claims.
 */

export interface SettleAndClaimDeliveriesArgs extends ClaimArgs {
  /** Attempts that ended since the last call. */
  readonly attempted: readonly DeliveryAttempted[]
  /** The most events that are fanned out. */
  readonly fanOut: number
}

export interface SettledAndClaimedDeliveries extends DeliveryClaim {
  readonly hasWebhooks: boolean
}

const selectWebhooks = statement<{ organization: string }>()((sql, argument) =>
  sql.selectFrom('webhooks').selectAll().where('organization_id', '=', argument('organization')),
)

/** Settles attempts that ended, fans out new events and claims due deliveries, for one organization. */
export const settleAndClaimDeliveries = transaction(
  'deliveries.settle_and_claim',
  async (tx, args: SettleAndClaimDeliveriesArgs): Promise<SettledAndClaimedDeliveries> => {
    const { organization, attempted, now, fanOut: limit } = args
    await settleAttempts(tx, attempted, { organization, now })
    const webhooks = await tx.all(selectWebhooks, { organization })
    const isMore = await fanOut(tx, webhooks, { organization, now, limit })
    const claiming = await claimDeliveries(tx, webhooks, args)
    return { ...claiming, hasWebhooks: webhooks.length > 0, more: claiming.more || isMore }
  },
  { touches: ({ organization }) => [organization] },
)

const selectOrganizations = statement<{ after: string; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('organizations')
    .select((eb) => {
      const timed = eb
        .selectFrom('webhooks')
        .innerJoin('deliveries', 'deliveries.webhook_id', 'webhooks.id')
        .select('deliveries.seq')
        .whereRef('webhooks.organization_id', '=', 'organizations.id')
        .where('deliveries.next_attempt_at', 'is not', null)
      const waits = eb.or([eb('last_event', '>', eb.ref('last_fanned_out')), eb.exists(timed)])
      return ['id', eb.case().when(waits).then(1).else(0).end().$castTo<number>().as('waits')]
    })
    .where('id', '>', argument('after'))
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('webhooks')
          .select('webhooks.id')
          .whereRef('webhooks.organization_id', '=', 'organizations.id'),
      ),
    )
    .orderBy('id')
    .limit(argument('limit')),
)

/** The organizations that have webhooks, in parts, and whether an event or a delivery of theirs waits. */
export const organizationsToDeliver = briefRead(
  'deliveries.organizations',
  async (reader, args: { after: string; limit: number }) => {
    const rows = await reader.all(selectOrganizations, args)
    return rows.map(({ id, waits }) => ({ id, waits: waits === 1 }))
  },
)

export const deliveryFunctions: StoreFunctions = {
  reads: [organizationsToDeliver],
  transactions: [settleAndClaimDeliveries],
}
