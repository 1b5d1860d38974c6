import Type from 'typebox'
import { operation, pageReply } from '../operation.ts'
import { listedTemplate } from '../resources/examples.ts'
import { TemplatePage } from '../resources/template.ts'
import { NetworkCursor, paging, record } from '../scalars.ts'
import { instancePath } from './instance-operations.ts'

export const listTemplates = operation('GET /v1/instances/{name}/templates', {
  id: 'listTemplates',
  summary: 'List the templates',
  description:
    'Asks the network which templates the account of the instance has, and in which state they are. Nothing is kept: the instance must ' +
    'be connected, and the answer takes as long as the network does. One request at a time asks for an instance. A page has as many ' +
    'templates as the network gives at once, at most `limit`.',
  access: 'read',
  params: instancePath,
  query: record('ListTemplatesQuery', { ...paging, cursor: Type.Optional(NetworkCursor) }),
  replies: {
    200: pageReply('A page of templates.', TemplatePage, [listedTemplate]),
  },
  problems: [
    'instance_deleting',
    'templates_not_supported',
    'templates_being_listed',
    'setting_missing',
    'instance_not_connected',
    'network_refused',
  ],
})

export const templateOperations = [listTemplates] as const
