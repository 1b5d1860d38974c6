import type { Operation } from './operation.ts'
import { auditOperations } from './operations/audit-operations.ts'
import { cancellationOperations } from './operations/cancellation-operations.ts'
import { contentOperations } from './operations/content-operations.ts'
import { conversationOperations } from './operations/conversation-operations.ts'
import { groupOperations } from './operations/conversations/group-operations.ts'
import { eventOperations } from './operations/event-operations.ts'
import { followingOperations } from './operations/following-operations.ts'
import { instanceOperations } from './operations/instance-operations.ts'
import { keyOperations } from './operations/key-operations.ts'
import { linkOperations } from './operations/link-operations.ts'
import { linkPageOperations } from './operations/link-page-operations.ts'
import { messageHistoryOperations } from './operations/message-history-operations.ts'
import { messageOperations } from './operations/message-operations.ts'
import { networkOperations } from './operations/network-operations.ts'
import { nodeOperations } from './operations/node-operations.ts'
import { serverOperations } from './operations/operator/server-operations.ts'
import { organizationOperations } from './operations/organization-operations.ts'
import { quotaOperations } from './operations/quota-operations.ts'
import { serviceOperations } from './operations/service-operations.ts'
import { statisticsOperations } from './operations/statistics-operations.ts'
import { templateOperations } from './operations/template-operations.ts'
import { webhookOperations } from './operations/webhook-operations.ts'

/** The same with the exact type of each, by which clients are typed. */
export const contractOperations = [
  ...instanceOperations,
  ...linkOperations,
  ...linkPageOperations,
  ...templateOperations,
  ...messageOperations,
  ...contentOperations,
  ...followingOperations,
  ...messageHistoryOperations,
  ...cancellationOperations,
  ...conversationOperations,
  ...groupOperations,
  ...eventOperations,
  ...webhookOperations,
  ...networkOperations,
  ...quotaOperations,
  ...statisticsOperations,
  ...auditOperations,
  ...keyOperations,
  ...organizationOperations,
  ...serverOperations,
  ...nodeOperations,
  ...serviceOperations,
] as const

/** The contract: every operation there is, in the order in which the reference shows them. */
export const operations: readonly Operation[] = contractOperations

/** Sections of the reference with operations, which the first segments of their paths determine. */
export const tags = [
  {
    name: 'Instances',
    collections: ['instances', 'link-page'],
    description: 'Durable connections to messaging networks: create, watch, stop and remove them.',
  },
  {
    name: 'Messages',
    collections: ['messages', 'conversations'],
    description: 'Send messages through an instance, follow the status of each, and read incoming ones.',
  },
  {
    name: 'Events',
    collections: ['events'],
    description:
      'Everything that happens to your instances and messages, in order and without gaps. Read the events page by page, or ' +
      'follow them as a stream.',
  },
  {
    name: 'Webhooks',
    collections: ['webhooks'],
    description: 'Have events sent to your server, and see the result of each delivery.',
  },
  {
    name: 'Networks',
    collections: ['networks'],
    description: 'The messaging networks of this server, and the abilities of each.',
  },
  {
    name: 'Organization',
    collections: ['quotas', 'statistics'],
    description: 'The quotas of your organization, their usage, and its statistics.',
  },
  {
    name: 'Keys',
    collections: ['me', 'keys'],
    description: 'Your own key, and all keys of your organization: create, list and revoke them.',
  },
  {
    name: 'Operator',
    collections: ['organizations', 'server', 'nodes'],
    description:
      'Create organizations, create their first keys, see what they use and do, read the health of the server and all audit logs, and see and drain its nodes. These operations are for the operator: they need ' +
      'the token in `operator.token` in the data folder, and no API key can call them. The audit log of an organization ' +
      'records the changes to it.',
  },
  {
    name: 'Service',
    collections: ['audit', 'openapi.json', 'problems', 'healthz', 'readyz', 'metrics'],
    description: 'The contract, the problems, and the health of the server.',
  },
] as const satisfies readonly { name: string; collections: readonly string[]; description: string }[]

/** The section of the reference that an operation is in: that of the first collection in its path. */
export function tagOf({ id, path }: Operation): string {
  const [, collection = ''] = path.match(/^(?:\/v1)?\/([^/]+)/) ?? []
  const tag = tags.find(({ collections }) => collections.some((each) => each === collection))
  if (!tag) throw new Error(`${id} is in no section of the reference`)
  return tag.name
}
