import type { StoreFunctions } from '../store/store.ts'
import { contactFunctions } from './contacts/contact-store.ts'
import { forgetContactsFunctions } from './contacts/forget-contacts.ts'
import { recordContactFunctions } from './contacts/record-contacts.ts'
import { fetchFunctions } from './files/fetch-store.ts'
import { receivedFileFunctions } from './files/received-file-store.ts'
import { listAttempts } from './history/attempts.ts'
import { listSteps } from './history/steps.ts'
import { inboxFunctions } from './inbox/inbox.ts'
import { listConversations } from './list/conversations/conversation-list.ts'
import { markConversationRead } from './list/conversations/unread.ts'
import { findMessage } from './list/find-message.ts'
import { enterBlock, hasFullBlock } from './list/message-index.ts'
import { listMessages } from './list/message-list.ts'
import { choiceFunctions } from './marketing/choose.ts'
import { knownTemplateFunctions } from './marketing/known-templates.ts'
import { optedOutFunctions } from './marketing/opted-out.ts'
import { findFile } from './message-file.ts'
import { acceptMessage } from './outbox/accept/accept.ts'
import { acceptBatch } from './outbox/accept/accept-batch.ts'
import { findSender } from './outbox/accept/find-sender.ts'
import { readQueueTotals } from './outbox/queue/queue-totals.ts'
import { settleAndClaim } from './outbox/queue/settle-and-claim.ts'
import { listStillWaiting } from './outbox/queue/still-waiting.ts'
import { recordAcknowledged, recordReceipt, recordReturn } from './outbox/receipts/receipts.ts'
import { recordReceiptUpTo } from './outbox/receipts/receipts-before.ts'
import { recoverMessages } from './outbox/recovery/recover.ts'
import { cancelQueued, findQueued } from './outbox/sweep/cancel-many.ts'
import { cancelMessage, discardQueue, expireMessages } from './outbox/sweep/sweep.ts'
import { beginForgettingFunctions } from './people/begin-forgetting.ts'
import { contactListFunctions } from './people/contact-list.ts'
import { forgetPersonFunctions } from './people/forget-person.ts'
import { messageRetentionFunctions } from './retention.ts'
import { findInConversation, findTarget } from './sending/find-target.ts'

/** The functions of the store for messages. */
export const messageFunctions: StoreFunctions = {
  reads: [
    ...contactFunctions.reads,
    ...contactListFunctions.reads,
    ...forgetPersonFunctions.reads,
    ...fetchFunctions.reads,
    ...inboxFunctions.reads,
    ...optedOutFunctions.reads,
    ...messageRetentionFunctions.reads,
    findMessage,
    findTarget,
    findInConversation,
    listAttempts,
    listSteps,
    findFile,
    hasFullBlock,
    listMessages,
    listConversations,
    findQueued,
    listStillWaiting,
    findSender,
    readQueueTotals,
  ],
  transactions: [
    ...contactFunctions.transactions,
    ...forgetContactsFunctions.transactions,
    ...recordContactFunctions.transactions,
    ...beginForgettingFunctions.transactions,
    ...forgetPersonFunctions.transactions,
    ...fetchFunctions.transactions,
    ...inboxFunctions.transactions,
    ...choiceFunctions.transactions,
    ...knownTemplateFunctions.transactions,
    ...receivedFileFunctions.transactions,
    ...messageRetentionFunctions.transactions,
    acceptMessage,
    acceptBatch,
    enterBlock,
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
    markConversationRead,
  ],
}
