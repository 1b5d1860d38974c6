import type { INodeProperties } from 'n8n-workflow'

/** The choice of an instance by its name. */
export const instanceChoice: INodeProperties = {
  displayName: 'Instance Name or ID',
  name: 'instance',
  type: 'options',
  typeOptions: { loadOptionsMethod: 'getInstances' },
  default: '',
  required: true,
  description:
    'The name of the instance. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
}

/** The fields of operations that list. */
export function listFields(resource: string, operation: readonly string[] = ['getAll']): INodeProperties[] {
  const show = { resource: [resource], operation: [...operation] }
  return [
    {
      displayName: 'Return All',
      name: 'returnAll',
      type: 'boolean',
      default: false,
      displayOptions: { show },
      description: 'Whether to return all results or only up to a given limit',
    },
    {
      displayName: 'Limit',
      name: 'limit',
      type: 'number',
      typeOptions: { minValue: 1 },
      default: 50,
      displayOptions: { show: { ...show, returnAll: [false] } },
      description: 'Max number of results to return',
    },
  ]
}
