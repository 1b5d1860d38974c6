import type { INodeProperties } from 'n8n-workflow'
import { instanceChoice, listFields } from './instance-choice'

const operation: INodeProperties = {
  displayName: 'Operation',
  name: 'operation',
  type: 'options',
  noDataExpression: true,
  displayOptions: { show: { resource: ['instance'] } },
  options: [
    {
      name: 'Check Addresses',
      value: 'checkAddresses',
      action: 'Check whether addresses exist',
      description: 'Ask the network whether people have these addresses, where it tells',
    },
    {
      name: 'Create',
      value: 'create',
      action: 'Create an instance',
      description: 'Create an instance and wait until it is connected or a person must act',
    },
    {
      name: 'Delete',
      value: 'delete',
      action: 'Delete an instance',
      description: 'Remove an instance, its queue and its link',
    },
    { name: 'Get', value: 'get', action: 'Get an instance', description: 'Get one instance' },
    {
      name: 'Get Many',
      value: 'getAll',
      action: 'Get many instances',
      description: 'List the instances, with the status of each',
    },
    {
      name: 'Get Status',
      value: 'getStatus',
      action: 'Get the status of an instance',
      description: 'Get the state of the connection, and who must act',
    },
    {
      name: 'Get Templates',
      value: 'getTemplates',
      action: 'Get the templates of an instance',
      description: 'List the templates of the account, with the placeholders to fill',
    },
  ],
  default: 'getStatus',
}

const creating = { show: { resource: ['instance'], operation: ['create'] } }

export const instanceFields: INodeProperties[] = [
  operation,
  {
    ...instanceChoice,
    displayOptions: {
      show: {
        resource: ['instance'],
        operation: ['checkAddresses', 'delete', 'get', 'getStatus', 'getTemplates'],
      },
    },
  },
  {
    displayName: 'Addresses',
    name: 'addresses',
    type: 'string',
    default: '',
    required: true,
    placeholder: '+4915112345678, +4915187654321',
    displayOptions: { show: { resource: ['instance'], operation: ['checkAddresses'] } },
    description:
      'At most 50, separated by commas. Networks ban accounts that ask about many people: check only those whom you are about to write to.',
  },
  {
    displayName: 'Name',
    name: 'name',
    type: 'string',
    default: '',
    required: true,
    placeholder: 'support',
    displayOptions: creating,
    description: 'The name of the new instance: lower-case letters, digits, - and _',
  },
  {
    displayName: 'Network',
    name: 'network',
    type: 'string',
    default: '',
    placeholder: 'whatsapp',
    displayOptions: creating,
    description: 'The messaging network; by default, the one that the operator chose',
  },
  {
    displayName: 'Settings',
    name: 'settings',
    type: 'json',
    default: '{}',
    displayOptions: creating,
    description: 'The settings of the network, as the reference of your server describes them',
  },
  {
    displayName: 'Credentials',
    name: 'credentials',
    type: 'json',
    typeOptions: { password: true },
    default: '',
    displayOptions: creating,
    description:
      'The credentials of the account, for networks that need them. Take them from an expression: workflows are stored as they are.',
  },
  ...listFields('instance', ['getAll', 'getTemplates']),
]
