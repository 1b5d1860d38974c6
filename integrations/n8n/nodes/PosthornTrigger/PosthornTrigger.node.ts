import type {
  IDataObject,
  IHookFunctions,
  ILoadOptionsFunctions,
  INodePropertyOptions,
  INodeType,
  INodeTypeDescription,
  IWebhookFunctions,
  IWebhookResponseData,
} from 'n8n-workflow'
import { NodeConnectionTypes } from 'n8n-workflow'
import { everyEntry } from '../Posthorn/call'
import { eventOptions } from './event-options'
import { isRegistered, memoryOf, register, unregister } from './registration'
import { isSigned } from './signature'

export class PosthornTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Posthorn Trigger',
    name: 'posthornTrigger',
    icon: { light: 'file:../../icons/posthorn.svg', dark: 'file:../../icons/posthorn.dark.svg' },
    group: ['trigger'],
    version: [1],
    subtitle: '={{$parameter["events"].join(", ")}}',
    description: 'Starts the workflow on events of Posthorn, such as a message that was received',
    defaults: { name: 'Posthorn Trigger' },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'posthornApi', required: true }],
    webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'posthorn' }],
    properties: [
      {
        displayName: 'Events',
        name: 'events',
        type: 'multiOptions',
        options: eventOptions,
        default: ['message.received'],
        required: true,
        description: 'The events that start the workflow',
      },
      {
        displayName: 'Instance Names or IDs',
        name: 'instances',
        type: 'multiOptions',
        typeOptions: { loadOptionsMethod: 'getInstances' },
        default: [],
        description:
          'Only events of these instances; by default, of all. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
      },
      {
        displayName: 'Options',
        name: 'options',
        type: 'collection',
        placeholder: 'Add option',
        default: {},
        options: [
          {
            displayName: 'In Order',
            name: 'inOrder',
            type: 'boolean',
            default: false,
            description: 'Whether the events of an instance come one by one, in their order',
          },
        ],
      },
    ],
  }

  methods = {
    loadOptions: {
      async getInstances(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
        const instances = await everyEntry(this, { method: 'GET', path: '/v1/instances' }, 1_000)
        return instances.map(({ name }) => ({ name: name as string, value: name as string }))
      },
    },
  }

  webhookMethods = {
    default: {
      async checkExists(this: IHookFunctions): Promise<boolean> {
        return isRegistered(this)
      },
      async create(this: IHookFunctions): Promise<boolean> {
        return register(this)
      },
      async delete(this: IHookFunctions): Promise<boolean> {
        return unregister(this)
      },
    },
  }

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    const { secret } = memoryOf(this)
    const request = this.getRequestObject()
    if (secret === undefined || !isSigned(request.rawBody, request.headers, secret)) {
      this.getResponseObject().status(401).json({ message: 'The signature does not fit.' })
      return { noWebhookResponse: true }
    }
    const wanted = this.getNodeParameter('events', []) as string[]
    const events = eventsIn(request.rawBody).filter(
      ({ type }) => wanted.length === 0 || wanted.includes('*') || wanted.includes(type as string),
    )
    // An event that starts nothing, such as the one of a test, was received all the same.
    if (events.length === 0) return { webhookResponse: { received: true } }
    return { workflowData: [this.helpers.returnJsonArray(events)] }
  }
}

/** The event of a delivery, or those of a batch. It is read from the bytes that were verified. */
function eventsIn(body: Buffer): IDataObject[] {
  const content = JSON.parse(body.toString()) as IDataObject
  return Array.isArray(content.events) ? (content.events as IDataObject[]) : [content]
}
