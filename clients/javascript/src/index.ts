export type * from './contract/methods.ts'
export type * from './contract/types.ts'
export {
  ConnectionError,
  isProblem,
  PosthornError,
  PosthornTimeoutError,
  ProblemError,
  UnexpectedResponseError,
} from './errors.ts'
export {
  type EventFeed,
  EventGapError,
  type Followed,
  type FollowOptions,
  type ProcessOptions,
} from './follow.ts'
export type { CallOptions, PosthornOptions, SendOptions, WaitOptions } from './options.ts'
export { type Page, Pages } from './pages.ts'
export { type EventMethods, type MessageMethods, Posthorn } from './posthorn.ts'
export type { FileContent, UploadedMedia } from './send-media.ts'
export {
  type VerifyOptions,
  verifyWebhook,
  verifyWebhookBatch,
  type WebhookHeaders,
  WebhookVerificationError,
} from './verify-webhook.ts'
export { OutcomeError, type ReachableStatus, type WaitForOptions } from './wait-for.ts'
