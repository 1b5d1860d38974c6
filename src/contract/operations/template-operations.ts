import Type from 'typebox'
import { operation } from '../operation.ts'
import { listedTemplate } from '../resources/examples.ts'
import { TemplatePage } from '../resources/template.ts'
import { InstanceName, NetworkCursor, paging, record } from '../scalars.ts'

export const listTemplates = operation({
  id: 'listTemplates',
  method: 'GET',
  path: '/v1/instances/{name}/templates',
  tag: 'Instances',
  summary: 'List the templates',
  description:
    'Asks the network which templates the account of the instance has, and in which state they are. Nothing is kept: the instance must ' +
    'be connected, and the answer takes as long as the network does. One request at a time asks for an instance. A page has as many ' +
    'templates as the network gives at once, at most `limit`.',
  access: 'read',
  params: record('TemplatesPath', { name: InstanceName }),
  query: record('ListTemplatesQuery', { ...paging, cursor: Type.Optional(NetworkCursor) }),
  replies: {
    200: {
      description: 'A page of templates.',
      body: TemplatePage,
      example: { data: [listedTemplate], next_cursor: null },
    },
  },
  problems: [
    'instance_not_found',
    'instance_deleting',
    'templates_not_supported',
    'templates_being_listed',
    'setting_missing',
    'instance_not_connected',
    'network_refused',
  ],
})

export const templateOperations = [listTemplates] as const
