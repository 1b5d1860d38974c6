import type { INodeProperties } from 'n8n-workflow'
import { instanceChoice, listFields } from './instance-choice'

const shownFor = (...operation: string[]) => ({ show: { resource: ['group'], operation } })

const operation: INodeProperties = {
  displayName: 'Operation',
  name: 'operation',
  type: 'options',
  noDataExpression: true,
  displayOptions: { show: { resource: ['group'] } },
  options: [
    {
      name: 'Add Members',
      value: 'addMembers',
      action: 'Add members to a group',
      description: 'Add people to a group',
    },
    {
      name: 'Approve Requests',
      value: 'approveRequests',
      action: 'Approve requests to join a group',
      description: 'Let people join who asked',
    },
    {
      name: 'Create',
      value: 'create',
      action: 'Create a group',
      description: 'Create a group with people in it',
    },
    {
      name: 'Decline Requests',
      value: 'declineRequests',
      action: 'Decline requests to join a group',
      description: 'Do not let people join who asked',
    },
    {
      name: 'Demote Members',
      value: 'demoteMembers',
      action: 'Demote admins of a group',
      description: 'Make admins plain members again',
    },
    {
      name: 'Describe',
      value: 'describe',
      action: 'Describe a group',
      description: 'Give a group another description',
    },
    { name: 'Get', value: 'get', action: 'Get a group', description: 'Get a group with its members' },
    {
      name: 'Get Invite Link',
      value: 'getInviteLink',
      action: 'Get the invite link of a group',
      description: 'Get a link by which people join, or replace it',
    },
    {
      name: 'Get Many',
      value: 'getAll',
      action: 'Get many groups',
      description: 'List the groups that the account is in, where the network lists them',
    },
    {
      name: 'Get Requests',
      value: 'getRequests',
      action: 'Get requests to join a group',
      description: 'List the people who ask to join and must be let in',
    },
    { name: 'Join', value: 'join', action: 'Join a group', description: 'Join a group by an invitation' },
    {
      name: 'Leave',
      value: 'leave',
      action: 'Leave a group',
      description: 'Take the account out of a group',
    },
    {
      name: 'Promote Members',
      value: 'promoteMembers',
      action: 'Promote members of a group',
      description: 'Make members admins',
    },
    {
      name: 'Remove Members',
      value: 'removeMembers',
      action: 'Remove members from a group',
      description: 'Take people out of a group',
    },
    {
      name: 'Rename',
      value: 'rename',
      action: 'Rename a group',
      description: 'Give a group another subject',
    },
  ],
  default: 'getAll',
}

const withMembers = ['addMembers', 'removeMembers', 'promoteMembers', 'demoteMembers']
const withRequests = ['approveRequests', 'declineRequests']
const people: INodeProperties = {
  displayName: 'People',
  name: 'members',
  type: 'string',
  default: '',
  placeholder: '+4915112345678, +4915187654321',
  description: 'The addresses of the people, at most 50, separated by commas. Each gets an item of its own.',
}

/** The fields of groups. */
export const groupFields: INodeProperties[] = [
  operation,
  { ...instanceChoice, displayOptions: { show: { resource: ['group'] } } },
  {
    displayName: 'Group',
    name: 'group',
    type: 'string',
    default: '',
    required: true,
    placeholder: '120363025246125486@g.us',
    displayOptions: {
      show: { resource: ['group'] },
      hide: { operation: ['create', 'getAll', 'join'] },
    },
    description: 'The address of the group, as in the list of groups or the conversation of its messages',
  },
  {
    displayName: 'Subject',
    name: 'subject',
    type: 'string',
    default: '',
    required: true,
    displayOptions: shownFor('create', 'rename'),
    description: 'The name that people see',
  },
  {
    displayName: 'Description',
    name: 'description',
    type: 'string',
    typeOptions: { rows: 3 },
    default: '',
    displayOptions: shownFor('describe'),
    description: 'What the group says about itself; empty takes it away',
  },
  { ...people, required: true, displayOptions: shownFor(...withMembers, ...withRequests) },
  {
    ...people,
    displayOptions: shownFor('create'),
    description:
      'The addresses of the people to add, at most 50, separated by commas. Some networks want at least one.',
  },
  {
    displayName: 'Group Options',
    name: 'groupOptions',
    type: 'collection',
    placeholder: 'Add option',
    default: {},
    displayOptions: shownFor('create'),
    options: [
      {
        displayName: 'Approval',
        name: 'approval',
        type: 'boolean',
        default: false,
        description:
          'Whether people who follow the invite link must be let in, where the network can do that',
      },
      {
        displayName: 'Description',
        name: 'description',
        type: 'string',
        default: '',
        description: 'What the group says about itself, where the network can show it',
      },
    ],
  },
  {
    displayName: 'Renew',
    name: 'renew',
    type: 'boolean',
    default: false,
    displayOptions: shownFor('getInviteLink'),
    description: 'Whether to make a new link, so that earlier ones no longer work',
  },
  {
    displayName: 'Invitation',
    name: 'invitation',
    type: 'string',
    default: '',
    required: true,
    placeholder: 'https://chat.whatsapp.com/…',
    displayOptions: shownFor('join'),
    description: 'The invite link, or the address of a group that is open to all',
  },
  ...listFields('group', ['getAll', 'getRequests']),
]
