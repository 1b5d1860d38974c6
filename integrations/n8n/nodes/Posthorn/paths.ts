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

/** The path of the group that an item names. */
export function pathOfGroup(functions: IExecuteFunctions, itemIndex: number): string {
  const group = addressIn(functions, 'group', itemIndex)
  if (group !== undefined) return `${pathOfInstance(functions, itemIndex)}/groups/${group}`
  throw new NodeOperationError(functions.getNode(), 'The group is the address of a group', { itemIndex })
}

/** The path of the contact whose conversation an item names. */
export function pathOfContact(functions: IExecuteFunctions, itemIndex: number): string {
  const address = addressIn(functions, 'conversation', itemIndex)
  if (address !== undefined) return `${pathOfInstance(functions, itemIndex)}/contacts/${address}`
  const fault = 'The conversation is the address of a person or a group'
  throw new NodeOperationError(functions.getNode(), fault, { itemIndex })
}

/** An address as a part of a path. One of dots would lead out of it, because URLs are normalized. */
function addressIn(functions: IExecuteFunctions, parameter: string, itemIndex: number): string | undefined {
  const address = textIn(functions, parameter, itemIndex).trim()
  return /^\.{0,2}$/.test(address) ? undefined : encodeURIComponent(address)
}
