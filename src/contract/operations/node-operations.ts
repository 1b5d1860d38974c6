import type { Static } from 'typebox'
import { operation, pageResponse } from '../operation.ts'
import { id, moment, oneOf, page, record } from '../scalars.ts'
import Type from '../type.ts'

export const nodeStatuses = ['running', 'draining', 'silent', 'gone'] as const

const NodeId = id('node', 'Identifies the node: it is in `node.id` in its data folder.')

export const Node = record(
  'Node',
  {
    id: NodeId,
    status: oneOf(nodeStatuses, {
      title: 'NodeStatus',
      description:
        '`running`; `draining`: it gives its instances to other nodes; `silent`: its last beat is so old that it does nothing any more, and ' +
        'others take over soon; `gone`: no process runs it.',
    }),
    version: Type.String({ description: 'The version of its program.', examples: ['1.0.0'] }),
    started_at: moment('When its process was started, by its own clock.'),
    last_seen_at: moment('When its last beat was stored, by the clock of the database.'),
    instances: Type.Integer({ minimum: 0, description: 'The instances that it owns.' }),
    keeps_house: Type.Boolean({ description: 'True for the node that removes expired data for all nodes.' }),
    delivery_parts: Type.Integer({
      minimum: 0,
      description: 'The shares of organizations, out of 64, whose events it delivers and counts.',
    }),
    responded: Type.Boolean({ description: 'True for the node that responded to this request.' }),
  },
  'A node: one of the servers that share the database. A node that is gone and has no instance is forgotten after a day.',
)
export type Node = Static<typeof Node>

const example: Node = {
  id: 'node_06fdw2n0q8me4t1c9z7rk5hsab',
  status: 'running',
  version: '1.0.0',
  started_at: '2026-11-20T09:30:00.000Z',
  last_seen_at: '2026-11-20T10:15:04.000Z',
  instances: 120,
  keeps_house: true,
  delivery_parts: 22,
  responded: true,
}

export const listNodes = operation('GET /v1/nodes', {
  id: 'listNodes',
  summary: 'List the nodes',
  description: 'Lists all nodes that share the database, on one page.',
  access: 'operator',
  responses: { 200: pageResponse('The nodes.', page('NodePage', Node), [example]) },
})

export const drainNode = operation('POST /v1/nodes/{node}/drain', {
  id: 'drainNode',
  summary: 'Drain a node',
  description:
    'Makes a node give its instances to the others and take none, so that it can be stopped. If no other node is left that takes ' +
    'instances, it takes them again. It drains until its process is started again. A node that is already draining, or that is gone, stays as it is.',
  access: 'operator',
  unaudited: 'Nodes belong to no organization, and each log is that of one.',
  params: record('NodePath', { node: NodeId }),
  responses: {
    200: { description: 'The node.', body: Node, example: { ...example, status: 'draining' } },
  },
  problems: ['node_not_found', 'no_other_node'],
})

export const nodeOperations = [listNodes, drainNode] as const
