// Made from the contract by `node clients/javascript/generate/generate.ts`: change that, and run it again.

import type { OperationTable } from '../operation.ts'

/** The operations of the contract by resource and method. */
export const operations = {
  instances: {
    list: ['GET', '/v1/instances', 'qp'],
    create: ['POST', '/v1/instances', 'ib'],
    get: ['GET', '/v1/instances/{name}', ''],
    getStatus: ['GET', '/v1/instances/{name}/status', ''],
    update: ['PATCH', '/v1/instances/{name}', 'b'],
    replaceCredentials: ['PUT', '/v1/instances/{name}/credentials', 'b'],
    delete: ['DELETE', '/v1/instances/{name}', ''],
    start: ['POST', '/v1/instances/{name}/start', ''],
    stop: ['POST', '/v1/instances/{name}/stop', ''],
    restart: ['POST', '/v1/instances/{name}/restart', ''],
    startLink: ['POST', '/v1/instances/{name}/link', 'b'],
    getLink: ['GET', '/v1/instances/{name}/link', ''],
    answerLink: ['POST', '/v1/instances/{name}/link/answer', 'b'],
    logOut: ['POST', '/v1/instances/{name}/logout', ''],
    createLinkPage: ['POST', '/v1/instances/{name}/link-page', 'b'],
    revokeLinkPages: ['DELETE', '/v1/instances/{name}/link-page', ''],
    listTemplates: ['GET', '/v1/instances/{name}/templates', 'qp'],
  },
  messages: {
    sendText: ['POST', '/v1/messages/text', 'ib'],
    sendMedia: ['POST', '/v1/messages/media', 'ib'],
    sendTemplate: ['POST', '/v1/messages/template', 'ib'],
    list: ['GET', '/v1/messages', 'qp'],
    get: ['GET', '/v1/messages/{id}', ''],
    getMedia: ['GET', '/v1/messages/{id}/media', 'f'],
    cancel: ['POST', '/v1/messages/{id}/cancel', ''],
    markRead: ['POST', '/v1/messages/{id}/read', ''],
    sendLocation: ['POST', '/v1/messages/location', 'ib'],
    sendContacts: ['POST', '/v1/messages/contacts', 'ib'],
    sendInteractive: ['POST', '/v1/messages/interactive', 'ib'],
    sendPoll: ['POST', '/v1/messages/poll', 'ib'],
    sendBatch: ['POST', '/v1/messages/batch', 'ib'],
    react: ['POST', '/v1/messages/{id}/reaction', 'ib'],
    edit: ['POST', '/v1/messages/{id}/edit', 'ib'],
    retract: ['POST', '/v1/messages/{id}/retract', 'ib'],
    listAttempts: ['GET', '/v1/messages/{id}/attempts', ''],
    listSteps: ['GET', '/v1/messages/{id}/steps', ''],
    cancelMany: ['POST', '/v1/messages/cancel', 'b'],
  },
  conversations: {
    list: ['GET', '/v1/conversations', 'qp'],
  },
  events: {
    list: ['GET', '/v1/events', 'q'],
  },
  webhooks: {
    create: ['POST', '/v1/webhooks', 'b'],
    list: ['GET', '/v1/webhooks', 'qp'],
    get: ['GET', '/v1/webhooks/{webhook}', ''],
    update: ['PATCH', '/v1/webhooks/{webhook}', 'b'],
    delete: ['DELETE', '/v1/webhooks/{webhook}', ''],
    test: ['POST', '/v1/webhooks/{webhook}/test', ''],
    rotateSecret: ['POST', '/v1/webhooks/{webhook}/rotate-secret', ''],
    listDeliveries: ['GET', '/v1/webhooks/{webhook}/deliveries', 'qp'],
    getDelivery: ['GET', '/v1/webhooks/{webhook}/deliveries/{delivery}', ''],
    redeliver: ['POST', '/v1/webhooks/{webhook}/deliveries/{delivery}/redeliver', ''],
    redeliverEvents: ['POST', '/v1/webhooks/{webhook}/redeliver', 'b'],
    skipBacklog: ['POST', '/v1/webhooks/{webhook}/skip', 'b'],
  },
  networks: {
    list: ['GET', '/v1/networks', ''],
  },
  quotas: {
    get: ['GET', '/v1/quotas', ''],
  },
  statistics: {
    get: ['GET', '/v1/statistics', 'q'],
  },
  audit: {
    list: ['GET', '/v1/audit', 'qp'],
  },
  keys: {
    me: ['GET', '/v1/me', ''],
    list: ['GET', '/v1/keys', 'qp'],
    create: ['POST', '/v1/keys', 'b'],
    revoke: ['DELETE', '/v1/keys/{id}', ''],
  },
  organizations: {
    list: ['GET', '/v1/organizations', 'qp'],
    create: ['POST', '/v1/organizations', 'b'],
    listKeys: ['GET', '/v1/organizations/{organization}/keys', 'qp'],
    createKey: ['POST', '/v1/organizations/{organization}/keys', 'b'],
    revokeKey: ['DELETE', '/v1/organizations/{organization}/keys/{id}', ''],
    getQuotas: ['GET', '/v1/organizations/{organization}/quotas', ''],
  },
  nodes: {
    list: ['GET', '/v1/nodes', ''],
    drain: ['POST', '/v1/nodes/{node}/drain', ''],
  },
  service: {
    getOpenapi: ['GET', '/v1/openapi.json', ''],
    getProblem: ['GET', '/problems/{code}', ''],
    getHealth: ['GET', '/healthz', ''],
    getReadiness: ['GET', '/readyz', 'r'],
    getMetrics: ['GET', '/metrics', 't'],
  },
} as const satisfies OperationTable
