import type {
  IDataObject,
  IExecuteFunctions,
  ILoadOptionsFunctions,
  INodeExecutionData,
  INodePropertyOptions,
  INodeType,
  INodeTypeDescription,
} from 'n8n-workflow'
import { NodeApiError, NodeConnectionTypes, NodeOperationError } from 'n8n-workflow'
import { everyEntry } from './call'
import { conversationOperations } from './conversation-operations'
import { downloads, type FileResult } from './downloads'
import { conversationFields } from './fields/conversation-fields'
import { groupFields } from './fields/group-fields'
import { instanceFields } from './fields/instance-fields'
import { messageFields } from './fields/message-fields'
import { groupOperations } from './group-operations'
import { instanceOperations } from './instance-operations'
import { messageOperations } from './message-operations'

const operations = {
  conversation: conversationOperations,
  group: groupOperations,
  instance: instanceOperations,
  message: messageOperations,
}

export class Posthorn implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Posthorn',
    name: 'posthorn',
    icon: { light: 'file:../../icons/posthorn.svg', dark: 'file:../../icons/posthorn.dark.svg' },
    group: ['output'],
    version: [1],
    subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
    description:
      'Send messages and files through Posthorn, and manage its conversations, groups and instances',
    defaults: { name: 'Posthorn' },
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    usableAsTool: true,
    credentials: [{ name: 'posthornApi', required: true }],
    properties: [
      {
        displayName: 'Resource',
        name: 'resource',
        type: 'options',
        noDataExpression: true,
        options: [
          { name: 'Conversation', value: 'conversation' },
          { name: 'Group', value: 'group' },
          { name: 'Instance', value: 'instance' },
          { name: 'Message', value: 'message' },
        ],
        default: 'message',
      },
      ...messageFields,
      ...conversationFields,
      ...groupFields,
      ...instanceFields,
    ],
  }

  methods = {
    loadOptions: {
      async getInstances(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
        const instances = await everyEntry(this, { method: 'GET', path: '/v1/instances' }, 1_000)
        return instances.map(({ name, network, status }) => ({
          name: `${name} (${network}, ${status})`,
          value: name as string,
        }))
      },
    },
  }

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const results: INodeExecutionData[] = []
    for (let itemIndex = 0; itemIndex < this.getInputData().length; itemIndex++) {
      try {
        const entries = await resultsFor(this, itemIndex)
        results.push(...entries.map((entry) => ({ ...entry, pairedItem: { item: itemIndex } })))
      } catch (error) {
        const failure =
          error instanceof NodeApiError || error instanceof NodeOperationError
            ? error
            : new NodeOperationError(this.getNode(), error as Error, { itemIndex })
        if (!this.continueOnFail()) throw failure
        results.push({
          json: { error: failure.message, description: failure.description ?? null },
          error: failure,
          pairedItem: { item: itemIndex },
        })
      }
    }
    return [results]
  }
}

async function resultsFor(
  functions: IExecuteFunctions,
  itemIndex: number,
): Promise<readonly (FileResult | { readonly json: IDataObject })[]> {
  const resource = functions.getNodeParameter('resource', itemIndex) as keyof typeof operations
  const name = functions.getNodeParameter('operation', itemIndex) as string
  const download = downloads[resource]?.[name]
  if (download) return [await download(functions, itemIndex)]
  const result = await operations[resource]?.[name]?.(functions, itemIndex)
  if (result) return (Array.isArray(result) ? result : [result]).map((json) => ({ json }))
  throw new NodeOperationError(functions.getNode(), 'There is no such operation', { itemIndex })
}
