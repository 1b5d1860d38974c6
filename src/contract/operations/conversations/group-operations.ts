import { operation, pageResponse } from '../../operation.ts'
import {
  ChangedMembers,
  ChangeMembersBody,
  CreateGroupBody,
  DecideRequestsBody,
  Group,
  GroupPage,
  GroupWithMembers,
  InviteLink,
  InviteLinkBody,
  JoinGroupBody,
  JoinRequestPage,
  UpdateGroupBody,
} from '../../resources/people/group.ts'
import { InstanceName, NetworkCursor, paging, record } from '../../scalars.ts'
import Type from '../../type.ts'
import { instancePath } from '../instance-operations.ts'

const group: Group = {
  address: 'team@group.sandbox',
  subject: 'Team',
  description: null,
  size: 3,
  role: 'admin',
  approval: false,
  created_at: '2026-11-20T09:30:00.000Z',
}

const groupPath = record('GroupPath', {
  name: InstanceName,
  address: Type.String({
    minLength: 1,
    maxLength: 1024,
    description: 'The address of the group, as in `conversation` of its messages.',
  }),
})

/** Each asks the network, through the connection of the instance. */
const asked = [
  'instance_not_found',
  'instance_unreachable',
  'instance_deleting',
  'not_supported_by_network',
  'instance_not_connected',
  'network_refused',
  'group_requests_waiting',
] as const
const changes = [...asked, 'too_many_group_changes', 'outcome_unknown'] as const

const paced =
  'Networks ban accounts that change groups too often, so the instance ' +
  'makes a limited number of changes in a period, which depends on the network; more are refused with ' +
  '`too_many_group_changes`. If the network does not say whether it was done, the response is `outcome_unknown`.'

export const listGroups = operation('GET /v1/instances/{name}/groups', {
  id: 'listGroups',
  summary: 'List the groups',
  description:
    'Asks the network for the groups that the account is in, if it can list them (`list` in `abilities.groups`). Posthorn keeps no list of ' +
    'them: the instance must be connected, and the response takes as long as the network does. A page has as many groups as the network ' +
    'returns at once, at most `limit`.',
  access: 'read',
  params: instancePath,
  query: record('ListGroupsQuery', { ...paging, cursor: Type.Optional(NetworkCursor) }),
  responses: { 200: pageResponse('A page of groups.', GroupPage, [group]) },
  problems: asked,
})

export const createGroup = operation('POST /v1/instances/{name}/groups', {
  id: 'createGroup',
  summary: 'Create a group',
  description:
    `Creates a group with the people you name. The network may refuse to add some of them: read the group to see who is in it. ${paced} ` +
    'With an `Idempotency-Key`, a repeated request never creates a second group: it gets the first response, or `outcome_unknown` if that is ' +
    'all that is known.',
  access: 'send',
  params: instancePath,
  body: CreateGroupBody,
  idempotent: true,
  responses: {
    201: {
      description: 'The group was created.',
      body: Group,
      example: group,
      headers: ['Location'],
    },
  },
  problems: changes,
  examples: {
    team: { summary: 'A group of two', value: { subject: 'Team', members: ['ana@delivers.sandbox'] } },
  },
})

export const joinGroup = operation('POST /v1/instances/{name}/groups/join', {
  id: 'joinGroup',
  summary: 'Join a group',
  description: `Joins the group that an invitation leads to. ${paced}`,
  access: 'send',
  params: instancePath,
  body: JoinGroupBody,
  responses: { 200: { description: 'The group.', body: Group, example: group } },
  problems: changes,
  examples: {
    link: {
      summary: 'An invite link',
      value: { invitation: 'https://sandbox.example/join/team@group.sandbox' },
    },
  },
})

export const getGroup = operation('GET /v1/instances/{name}/groups/{address}', {
  id: 'getGroup',
  summary: 'Show a group',
  description:
    'Asks the network for a group and its members. Posthorn stores only the subject, which is then the name of the conversation.',
  access: 'read',
  params: groupPath,
  responses: {
    200: {
      description: 'The group.',
      body: GroupWithMembers,
      example: {
        ...group,
        members: [{ address: 'ana@delivers.sandbox', name: 'Ana', role: 'member' }],
        members_left_out: 0,
      },
    },
  },
  problems: asked,
})

export const updateGroup = operation('PATCH /v1/instances/{name}/groups/{address}', {
  id: 'updateGroup',
  summary: 'Rename or describe a group',
  description: `Changes either the subject or the description of a group. ${paced}`,
  access: 'send',
  params: groupPath,
  body: UpdateGroupBody,
  responses: { 204: { description: 'The group has this subject, or this description.' } },
  problems: changes,
  examples: {
    subject: { summary: 'Another subject', value: { subject: 'Team in Lisbon' } },
    description: { summary: 'Another description', value: { description: 'For all who travel to Lisbon.' } },
  },
})

export const changeGroupMembers = operation('POST /v1/instances/{name}/groups/{address}/members', {
  id: 'changeGroupMembers',
  summary: 'Change the members of a group',
  description: `Adds, removes, promotes or demotes members, and returns for each whether the network did it. ${paced}`,
  access: 'send',
  params: groupPath,
  body: ChangeMembersBody,
  responses: {
    200: {
      description: 'The result for each member.',
      body: ChangedMembers,
      example: {
        data: [
          { input: 'Ana@delivers.sandbox', address: 'ana@delivers.sandbox', result: 'done', error: null },
        ],
      },
    },
  },
  problems: changes,
  examples: {
    add: { summary: 'One more', value: { action: 'add', members: ['ana@delivers.sandbox'] } },
    promote: { summary: 'An admin', value: { action: 'promote', members: ['ana@delivers.sandbox'] } },
  },
})

export const getInviteLink = operation('POST /v1/instances/{name}/groups/{address}/invite-link', {
  id: 'getInviteLink',
  summary: 'Get an invite link',
  description:
    `Returns a link by which people join the group; with \`renew\`, a new one, and earlier ones no longer work. ` +
    `Anyone who has the link can join, so show it only to those whom you invite. ${paced}`,
  access: 'send',
  params: groupPath,
  body: InviteLinkBody,
  isBodyOptional: true,
  responses: {
    200: {
      description: 'The link.',
      body: InviteLink,
      example: { url: 'https://sandbox.example/join/team@group.sandbox' },
    },
  },
  problems: changes,
  examples: {
    same: { summary: 'The current link', value: {} },
    renewed: { summary: 'A new link', value: { renew: true } },
  },
})

export const listJoinRequests = operation('GET /v1/instances/{name}/groups/{address}/requests', {
  id: 'listJoinRequests',
  summary: 'List requests to join a group',
  description:
    'Asks the network for the people who ask to join a group that requires ' +
    'approval (`list_requests` in `abilities.groups`). `group.changed` with `join_requested` reports each new ' +
    'request. If the network cannot list requests, the response has those that it has reported.',
  access: 'read',
  params: groupPath,
  query: record('ListJoinRequestsQuery', { ...paging, cursor: Type.Optional(NetworkCursor) }),
  responses: {
    200: pageResponse('A page of requests.', JoinRequestPage, [
      { address: 'cy@delivers.sandbox', name: 'Cy', asked_at: '2026-11-20T09:30:00.000Z' },
    ]),
  },
  problems: asked,
})

export const decideJoinRequests = operation('POST /v1/instances/{name}/groups/{address}/requests', {
  id: 'decideJoinRequests',
  summary: 'Decide requests to join a group',
  description: `Approves or declines people who ask to join, and returns for each whether the network did it. ${paced}`,
  access: 'send',
  params: groupPath,
  body: DecideRequestsBody,
  responses: {
    200: {
      description: 'The result for each person.',
      body: ChangedMembers,
      example: {
        data: [{ input: 'Cy@delivers.sandbox', address: 'cy@delivers.sandbox', result: 'done', error: null }],
      },
    },
  },
  problems: changes,
  examples: {
    approve: { summary: 'Let one in', value: { action: 'approve', people: ['cy@delivers.sandbox'] } },
  },
})

export const leaveGroup = operation('POST /v1/instances/{name}/groups/{address}/leave', {
  id: 'leaveGroup',
  summary: 'Leave a group',
  description: `Takes the account out of a group. Its messages stay. ${paced}`,
  access: 'send',
  params: groupPath,
  responses: { 204: { description: 'The account is no longer in the group.' } },
  problems: changes,
})

export const groupOperations = [
  listGroups,
  createGroup,
  joinGroup,
  getGroup,
  updateGroup,
  changeGroupMembers,
  getInviteLink,
  listJoinRequests,
  decideJoinRequests,
  leaveGroup,
] as const
