import type { INodeProperties } from 'n8n-workflow'
import { instanceChoice, listFields } from './instance-choice'

const shownFor = (...operation: string[]) => ({ show: { resource: ['conversation'], operation } })

const operation: INodeProperties = {
  displayName: 'Operation',
  name: 'operation',
  type: 'options',
  noDataExpression: true,
  displayOptions: { show: { resource: ['conversation'] } },
  options: [
    {
      name: 'Get Many',
      value: 'getAll',
      action: 'Get many conversations',
      description: 'List conversations with their last messages, newest first',
    },
    {
      name: 'Get Picture',
      value: 'getPicture',
      action: 'Get the picture of a conversation',
      description: 'Get the picture that a person or a group shows, as a file',
    },
    {
      name: 'Mark as Read',
      value: 'markRead',
      action: 'Mark a conversation as read',
      description: 'Mark all messages of a conversation as read, and tell the sender where the network can',
    },
  ],
  default: 'getAll',
}

const filters: INodeProperties = {
  displayName: 'Filters',
  name: 'filters',
  type: 'collection',
  placeholder: 'Add Filter',
  default: {},
  displayOptions: shownFor('getAll'),
  options: [
    { ...instanceChoice, required: false },
    {
      displayName: 'Kind',
      name: 'kind',
      type: 'options',
      options: [
        { name: 'Group', value: 'group' },
        { name: 'Person', value: 'person' },
      ],
      default: 'person',
    },
    {
      displayName: 'Search',
      name: 'search',
      type: 'string',
      default: '',
      description: 'A part of a name, a username or an address',
    },
    {
      displayName: 'Unread Only',
      name: 'unread',
      type: 'boolean',
      default: true,
      description: 'Whether to list only conversations with unread messages',
    },
  ],
}

/** The fields of conversations. */
export const conversationFields: INodeProperties[] = [
  operation,
  { ...instanceChoice, displayOptions: shownFor('getPicture', 'markRead') },
  {
    displayName: 'Conversation',
    name: 'conversation',
    type: 'string',
    default: '',
    required: true,
    placeholder: '+4915112345678',
    displayOptions: shownFor('getPicture', 'markRead'),
    description: 'The address of the person or group, as messages and conversations have it',
  },
  ...listFields('conversation'),
  filters,
]
