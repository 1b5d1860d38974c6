import type { IExecuteFunctions } from 'n8n-workflow'
import { NodeOperationError } from 'n8n-workflow'
import { textIn } from './sending'

/** The path of the instance that an item names. */
export function pathOfInstance(functions: IExecuteFunctions, itemIndex: number): string {
  const name = textIn(functions, 'instance', itemIndex).trim()
  if (/^[a-z0-9][a-z0-9_-]*$/.test(name)) return `/v1/instances/${name}`
  const fault = 'The name of an instance has lower-case letters, digits, - and _'
  throw new NodeOperationError(functions.getNode(), fault, { itemIndex })
}

/** The path of the group that an item names. One of dots would lead out of the groups, because URLs are normalized. */
export function pathOfGroup(functions: IExecuteFunctions, itemIndex: number): string {
  const address = textIn(functions, 'group', itemIndex).trim()
  if (!/^\.{0,2}$/.test(address))
    return `${pathOfInstance(functions, itemIndex)}/groups/${encodeURIComponent(address)}`
  throw new NodeOperationError(functions.getNode(), 'The group is the address of a group', { itemIndex })
}
