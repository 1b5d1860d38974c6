import { operation, pageResponse } from '../operation.ts'
import {
  connectedInstance,
  connectedStatus,
  createdInstance,
  deletingInstance,
  statusStream,
} from '../resources/examples.ts'
import {
  CreateInstance,
  Instance,
  InstanceConnectivity,
  ReplaceCredentials,
  UpdateInstance,
} from '../resources/instance.ts'
import { CheckAddressesBody, CheckedAddresses, ShowTypingBody } from '../resources/people/address-check.ts'
import { InstanceName, oneOf, page, paging, record } from '../scalars.ts'
import { instanceStatuses } from '../statuses.ts'
import Type from '../type.ts'

export const instancePath = record('InstancePath', { name: InstanceName })
const params = instancePath

export const listInstances = operation('GET /v1/instances', {
  id: 'listInstances',
  summary: 'List the instances',
  description: 'Lists the instances of your organization, by name.',
  access: 'read',
  filtered: true,
  query: record('ListInstancesQuery', {
    status: Type.Optional(
      oneOf(instanceStatuses, { description: 'Only instances that have this status now.' }),
    ),
    network: Type.Optional(
      Type.String({ minLength: 1, maxLength: 63, description: 'Only instances of this network.' }),
    ),
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Only instances that contain this in their name, in the address or the display name of their account, or in the value of a ' +
          'label. Case is ignored. A page may be empty although more follow: only `next_cursor: null` means the end.',
        examples: ['support'],
      }),
    ),
    ...paging,
  }),
  responses: {
    200: pageResponse('A page of instances.', page('InstancePage', Instance), [connectedInstance]),
  },
})

export const createInstance = operation('POST /v1/instances', {
  id: 'createInstance',
  summary: 'Create an instance',
  description:
    'Creates and provisions an instance. The response comes at once, while Posthorn connects. Follow the status of the ' +
    'instance, or send `Prefer: wait=N` to get the response when the instance is connected or a person must act. The ' +
    'fields of `settings` and `credentials` depend on the network and are documented with it.',
  access: 'admin',
  body: CreateInstance,
  idempotent: true,
  waits: 'the instance is connected, needs a person, or has failed',
  responses: {
    201: {
      description: 'The instance was created.',
      body: Instance,
      example: createdInstance,
      headers: ['Location'],
    },
  },
  problems: ['instance_name_taken', 'instance_limit_reached', 'account_in_use'],
  examples: {
    trial: {
      summary: 'A sandbox instance, to try the API',
      value: { name: 'trial', network: 'sandbox' },
    },
    account: {
      summary: 'An existing XMPP account',
      value: {
        name: 'support',
        network: 'xmpp',
        settings: { address: 'support@example.org' },
        credentials: { password: 'correct horse battery staple' },
        metadata: { department: 'support' },
      },
    },
  },
})

export const getInstance = operation('GET /v1/instances/{name}', {
  id: 'getInstance',
  summary: 'Read an instance',
  description: 'Returns the record of the instance.',
  access: 'read',
  params,
  responses: { 200: { description: 'The instance.', body: Instance, example: connectedInstance } },
})

export const getInstanceStatus = operation('GET /v1/instances/{name}/status', {
  id: 'getInstanceStatus',
  summary: 'Read or follow the status',
  description:
    "Returns the current state of the instance's connection. With `Accept: text/event-stream` the response stays open: it " +
    'sends the current state and then every change, as events named `status` whose data is the same object. Once the ' +
    'instance is removed, the stream ends with an event named `deleted` that holds only the name.',
  access: 'read',
  params,
  responses: {
    200: {
      description: 'The connectivity of the instance.',
      body: InstanceConnectivity,
      example: connectedStatus,
      media: {
        'text/event-stream': {
          description: 'The current state, then every change.',
          example: statusStream,
          events: {
            status: InstanceConnectivity,
            deleted: Type.Object({ name: InstanceName }, { additionalProperties: false }),
          },
        },
      },
    },
  },
})

export const updateInstance = operation('PATCH /v1/instances/{name}', {
  id: 'updateInstance',
  summary: 'Change an instance',
  description:
    'Changes settings and labels (`metadata`) in place. A value in the body replaces the current value, `null` removes it, ' +
    'and all others stay; a setting that is an object, such as `pacing`, is replaced as a whole. Queued messages are kept, ' +
    'in their order. Labels and `pacing` take effect at once. For any other setting, the instance finishes what it is ' +
    'sending and reconnects, even if it is logged out or has failed; a stopped instance stays stopped, and an account that ' +
    'is being linked gets a new code. The result must be valid as a whole, together with the stored credentials; otherwise ' +
    'nothing changes. You cannot change the name, the network, the account, or the settings that the section of the network ' +
    'lists as fixed; to replace credentials, use `PUT /v1/instances/{name}/credentials`. Repeating the request changes ' +
    'nothing more. With `Prefer: wait=N`, the response comes when the instance is connected, needs a person, or has failed.',
  access: 'admin',
  params,
  body: UpdateInstance,
  notHere: {
    name: 'An instance cannot be renamed. Create another one, and remove this one.',
    network: 'The network of an instance cannot be changed. Create an instance on the other network.',
    credentials: 'Replace the credentials with `PUT /v1/instances/{name}/credentials`.',
  },
  waits: 'the instance is connected, needs a person, or has failed',
  responses: {
    200: { description: 'The instance as it is now.', body: Instance, example: createdInstance },
  },
  problems: ['instance_unreachable', 'instance_deleting', 'instance_changed_meanwhile'],
  examples: {
    pacing: {
      summary: 'Another pace, and one label removed',
      value: { settings: { pacing: { messages: 5, seconds: 60 } }, metadata: { ticket: null } },
    },
    labels: { summary: 'A label', value: { metadata: { department: 'sales' } } },
  },
})

export const deleteInstance = operation('DELETE /v1/instances/{name}', {
  id: 'deleteInstance',
  summary: 'Remove an instance',
  description:
    'Disconnects and removes the instance: cancels its queued messages, undoes at the network what creating it did there, ' +
    'and frees its name. You can still read its messages. 202 means that the network has not confirmed the removal yet: ' +
    'Posthorn keeps trying, and the name is free once the network has confirmed.',
  access: 'admin',
  params,
  responses: {
    202: {
      description: 'The removal was accepted and is in progress.',
      body: Instance,
      example: deletingInstance,
    },
    204: { description: 'The instance is removed.' },
  },
  problems: ['instance_unreachable'],
})

export const replaceCredentials = operation('PUT /v1/instances/{name}/credentials', {
  id: 'replaceCredentials',
  summary: 'Replace the credentials',
  description:
    'Replaces all credentials of the instance and reconnects it with the new ones, even if it is logged out or has failed. ' +
    'A stopped instance stays stopped. Queued messages are kept. Repeating the request reconnects it again. With `Prefer: ' +
    'wait=N`, the response comes when the instance is connected, needs a person, or has failed.',
  access: 'admin',
  params,
  body: ReplaceCredentials,
  waits: 'the instance is connected, needs a person, or has failed',
  responses: {
    200: { description: 'The credentials were stored.', body: Instance, example: createdInstance },
  },
  problems: ['instance_unreachable', 'instance_deleting'],
  examples: {
    password: {
      summary: 'A new password',
      value: { credentials: { password: 'battery staple horse correct' } },
    },
    token: { summary: 'Another token', value: { credentials: { token: 'open-sesame' } } },
  },
})

const order = {
  access: 'admin',
  params,
  waits: 'the request is carried out or needs a person',
  responses: {
    202: {
      description: 'The request was accepted and is being carried out.',
      body: Instance,
      example: createdInstance,
    },
  },
  problems: ['instance_deleting', 'instance_unreachable'],
} as const

export const stopInstance = operation('POST /v1/instances/{name}/stop', {
  ...order,
  id: 'stopInstance',
  summary: 'Stop an instance',
  description:
    'Closes the connection without logging out, and keeps it closed, even if the server restarts, until the instance is ' +
    'started again. Queued messages wait, and expire at their `expires_at`.',
})

export const startInstance = operation('POST /v1/instances/{name}/start', {
  ...order,
  id: 'startInstance',
  summary: 'Start an instance',
  description:
    'Reconnects a stopped, logged-out or failed instance, with its current settings and credentials. A running instance is ' +
    'not affected. To give it other credentials, use `PUT /v1/instances/{name}/credentials`.',
})

export const restartInstance = operation('POST /v1/instances/{name}/restart', {
  ...order,
  id: 'restartInstance',
  summary: 'Restart an instance',
  description: 'Closes the connection, whatever its status, and opens it again at once, without backoff.',
})

export const checkAddresses = operation('POST /v1/instances/{name}/check', {
  id: 'checkAddresses',
  summary: 'Check whether addresses exist',
  description:
    'Asks the network which of up to 50 addresses exist, if it can tell ' +
    '(`abilities.checks_addresses`). Check an address before the first message to it, and never a list of ' +
    'numbers: networks ban accounts that ask about many people. So the instance asks about a limited number of ' +
    'addresses in a period, which depends on the network; more are refused with `too_many_checks`. The server ' +
    'remembers a `yes` for a day and a `no` for an hour, and does not ask again meanwhile.',
  access: 'send',
  unaudited: 'It changes nothing that Posthorn stores.',
  params,
  body: CheckAddressesBody,
  responses: {
    200: {
      description: 'The result for each address.',
      body: CheckedAddresses,
      example: {
        data: [
          {
            input: '+49 151 12345678',
            address: '+4915112345678',
            exists: 'yes',
            checked_at: '2026-11-20T09:30:00.000Z',
          },
        ],
      },
    },
  },
  problems: [
    'instance_unreachable',
    'instance_deleting',
    'not_supported_by_network',
    'instance_not_connected',
    'network_refused',
    'too_many_checks',
  ],
  examples: {
    two: { summary: 'Two addresses', value: { addresses: ['+49 151 12345678', 'ana@delivers.sandbox'] } },
  },
})

export const showTyping = operation('POST /v1/instances/{name}/typing', {
  id: 'showTyping',
  summary: 'Show that you are typing',
  description:
    'Shows a person that the account is typing to them, if the network can ' +
    'do that (`abilities.typing`). The request is not stored: if the instance is not connected, nothing is ' +
    'shown, and the response is the same. The indication ends by itself, or when a message is sent.',
  access: 'send',
  unaudited: 'It changes nothing that Posthorn stores.',
  params,
  body: ShowTypingBody,
  responses: { 202: { description: 'It is shown, if it can be.' } },
  problems: ['not_supported_by_network'],
  examples: { five: { summary: 'Five seconds', value: { to: 'ana@delivers.sandbox', seconds: 5 } } },
})

export const instanceOperations = [
  listInstances,
  createInstance,
  getInstance,
  getInstanceStatus,
  updateInstance,
  replaceCredentials,
  deleteInstance,
  startInstance,
  stopInstance,
  restartInstance,
  checkAddresses,
  showTyping,
] as const
