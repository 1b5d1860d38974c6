import { operation, pageResponse } from '../operation.ts'
import { listedTemplate } from '../resources/examples.ts'
import { TemplatePage } from '../resources/template.ts'
import { NetworkCursor, paging, record } from '../scalars.ts'
import Type from '../type.ts'
import { instancePath } from './instance-operations.ts'

export const listTemplates = operation('GET /v1/instances/{name}/templates', {
  id: 'listTemplates',
  summary: 'List the templates',
  description:
    'Asks the network for the templates of the account, with their statuses. Posthorn stores none of them: the instance must ' +
    'be connected, and the response takes as long as the network does. Only one such request at a time can run for an ' +
    'instance. A page has as many templates as the network returns at once, at most `limit`.',
  access: 'read',
  params: instancePath,
  query: record('ListTemplatesQuery', { ...paging, cursor: Type.Optional(NetworkCursor) }),
  responses: {
    200: pageResponse('A page of templates.', TemplatePage, [listedTemplate]),
  },
  problems: [
    'instance_unreachable',
    'instance_deleting',
    'templates_not_supported',
    'templates_being_listed',
    'setting_missing',
    'instance_not_connected',
    'network_refused',
  ],
})

export const templateOperations = [listTemplates] as const
