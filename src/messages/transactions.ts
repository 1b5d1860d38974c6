import type { StoreFunctions } from '../store/store.ts'
import { listAttempts } from './attempts.ts'
import { contactFunctions } from './contacts/contact-store.ts'
import { listConversations } from './conversation-list.ts'
import { fetchFunctions } from './files/fetch-store.ts'
import { receivedFileFunctions } from './files/received-file-store.ts'
import { findMessage } from './find-message.ts'
import { inboxFunctions } from './inbox/inbox.ts'
import { findFile } from './message-file.ts'
import { listMessages } from './message-list.ts'
import { acceptMessage } from './outbox/accept.ts'
import { cancelQueued, findQueued } from './outbox/cancel-many.ts'
import { findSender } from './outbox/find-sender.ts'
import { settleAndClaim } from './outbox/outbox.ts'
import { readQueueTotals } from './outbox/queue-totals.ts'
import { recordAcknowledged, recordReceipt, recordReturn } from './outbox/receipts.ts'
import { recordReceiptUpTo } from './outbox/receipts-before.ts'
import { recordContactFunctions } from './outbox/record-contacts.ts'
import { recoverMessages } from './outbox/recover.ts'
import { cancelMessage, discardQueue, expireMessages } from './outbox/sweep.ts'
import { retentionFunctions } from './retention.ts'
import { listSteps } from './steps.ts'

/** What the store can be asked for about messages. */
export const messageFunctions: StoreFunctions = {
  reads: [
    ...contactFunctions.reads,
    ...fetchFunctions.reads,
    ...inboxFunctions.reads,
    findMessage,
    listAttempts,
    listSteps,
    findFile,
    listMessages,
    listConversations,
    findQueued,
    findSender,
    readQueueTotals,
  ],
  transactions: [
    ...contactFunctions.transactions,
    ...recordContactFunctions.transactions,
    ...fetchFunctions.transactions,
    ...inboxFunctions.transactions,
    ...receivedFileFunctions.transactions,
    ...retentionFunctions.transactions,
    acceptMessage,
    settleAndClaim,
    recoverMessages,
    expireMessages,
    discardQueue,
    cancelMessage,
    cancelQueued,
    recordReceipt,
    recordAcknowledged,
    recordReturn,
    recordReceiptUpTo,
  ],
}
