import { deliveryFunctions } from '../events/delivery/delivery.ts'
import { lagFunctions } from '../events/delivery/queue/lag.ts'
import { feedFunctions } from '../events/feed.ts'
import { findEventFunctions } from '../events/find-event.ts'
import { quotaFunctions } from '../events/quota-notices.ts'
import { eventRetentionFunctions } from '../events/retention.ts'
import { statisticsFunctions } from '../events/statistics/statistics-store.ts'
import { webhookFunctions } from '../events/webhook-store.ts'
import { callbackFunctions } from '../instances/callbacks/callback-store.ts'
import { claimFunctions } from '../instances/callbacks/claim-store.ts'
import { keptPartFunctions } from '../instances/callbacks/kept-parts.ts'
import { changeFunctions } from '../instances/connection/change-store.ts'
import { connectionFunctions } from '../instances/connection/connection-store.ts'
import { groupCreationFunctions } from '../instances/groups/creation-store.ts'
import { groupNameFunctions } from '../instances/groups/group-names.ts'
import { groupNewsFunctions } from '../instances/groups/group-news-store.ts'
import { instanceFunctions } from '../instances/instance-store.ts'
import { keyFunctions } from '../instances/keys/key-store.ts'
import { takeOverFunctions } from '../instances/lifecycle/take-over.ts'
import { linkPageFunctions } from '../instances/link-pages/link-page-store.ts'
import { mediaFunctions } from '../media/media-record.ts'
import { heldFunctions } from '../messages/outbox/recovery/held.ts'
import { messageFunctions } from '../messages/transactions.ts'
import { askFunctions } from '../nodes/ask-store.ts'
import { dutyFunctions } from '../nodes/duty-store.ts'
import { nodeOverviewFunctions } from '../nodes/node-overview.ts'
import { nodeFunctions, stillRun } from '../nodes/node-store.ts'
import { rateUseFunctions } from '../nodes/rates/rate-use-store.ts'
import { auditFunctions } from '../organizations/audit-log.ts'
import { idempotencyFunctions } from '../organizations/idempotency.ts'
import { apiKeyFunctions } from '../organizations/key-store.ts'
import { lastBackupFunctions } from '../organizations/last-backup.ts'
import { organizationFunctions } from '../organizations/organization-store.ts'
import { activityFunctions } from '../organizations/overview/organization-activity.ts'
import { sessionFunctions } from '../organizations/session-store.ts'
import { usageFunctions } from '../organizations/usage.ts'
import { databaseFactFunctions } from '../server/health/store-facts.ts'
import { positionFunctions } from '../store/position.ts'
import type { StoreFunctions } from '../store/store.ts'
import { probeFunctions } from '../store/watched-store.ts'
import { setBackFunctions } from './set-back-times.ts'

const all = [
  nodeFunctions,
  nodeOverviewFunctions,
  dutyFunctions,
  askFunctions,
  rateUseFunctions,
  probeFunctions,
  positionFunctions,
  lastBackupFunctions,
  organizationFunctions,
  activityFunctions,
  databaseFactFunctions,
  sessionFunctions,
  apiKeyFunctions,
  usageFunctions,
  idempotencyFunctions,
  auditFunctions,
  webhookFunctions,
  deliveryFunctions,
  lagFunctions,
  feedFunctions,
  findEventFunctions,
  quotaFunctions,
  eventRetentionFunctions,
  statisticsFunctions,
  mediaFunctions,
  messageFunctions,
  heldFunctions,
  connectionFunctions,
  changeFunctions,
  instanceFunctions,
  takeOverFunctions,
  callbackFunctions,
  claimFunctions,
  keptPartFunctions,
  keyFunctions,
  linkPageFunctions,
  groupNameFunctions,
  groupNewsFunctions,
  groupCreationFunctions,
  setBackFunctions,
]

/** Everything that the store is asked for, by name: the list that the threads of both stores work from. */
export const storeFunctions: StoreFunctions = {
  reads: all.flatMap(({ reads }) => reads),
  transactions: all.flatMap(({ transactions }) => transactions),
  fence: stillRun,
}
