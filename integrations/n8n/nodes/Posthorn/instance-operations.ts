import type { IDataObject, IExecuteFunctions } from 'n8n-workflow'
import { NodeOperationError } from 'n8n-workflow'
import { ask, call, refusal } from './call'
import { keyOf } from './idempotency'
import { listed } from './lists'
import { pathOfInstance } from './paths'
import { listOf, type Operation } from './sending'

const createInstance: Operation = (functions, itemIndex) => {
  const network = functions.getNodeParameter('network', itemIndex, '') as string
  const body = {
    name: functions.getNodeParameter('name', itemIndex) as string,
    ...(network && { network }),
    settings: objectIn(functions, 'settings', itemIndex),
    ...(functions.getNodeParameter('credentials', itemIndex, '') && {
      credentials: objectIn(functions, 'credentials', itemIndex),
    }),
  }
  const headers = { 'Idempotency-Key': keyOf(functions, itemIndex), Prefer: 'wait=20' }
  return call(functions, { method: 'POST', path: '/v1/instances', body, headers, itemIndex })
}

const getInstance: Operation = (functions, itemIndex) =>
  call(functions, { method: 'GET', path: pathOfInstance(functions, itemIndex), itemIndex })

/** Returns the status without the link step: its value is a secret, and executions are stored. */
const getStatus: Operation = async (functions, itemIndex) => {
  const path = `${pathOfInstance(functions, itemIndex)}/status`
  const status = await call(functions, { method: 'GET', path, itemIndex })
  return Object.fromEntries(Object.entries(status).filter(([field]) => field !== 'link'))
}

/** Returns an item for each address. */
const checkAddresses: Operation = async (functions, itemIndex) => {
  const path = `${pathOfInstance(functions, itemIndex)}/check`
  const body = { addresses: listOf(functions.getNodeParameter('addresses', itemIndex, '')) }
  const { data } = await call(functions, { method: 'POST', path, body, itemIndex })
  return data as IDataObject[]
}

const listInstances: Operation = (functions, itemIndex) => listed(functions, itemIndex, '/v1/instances')

/** Returns that it is deleted, also if an earlier try of the same run did it. */
const deleteInstance: Operation = async (functions, itemIndex) => {
  const called = await ask(functions, {
    method: 'DELETE',
    path: pathOfInstance(functions, itemIndex),
    itemIndex,
  })
  const isGone = called.status < 300 || called.body?.code === 'instance_not_found'
  if (!isGone) throw refusal(functions, called, itemIndex)
  return { deleted: true }
}

const listTemplates: Operation = (functions, itemIndex) =>
  listed(functions, itemIndex, `${pathOfInstance(functions, itemIndex)}/templates`)

export const instanceOperations: Readonly<Record<string, Operation>> = {
  create: createInstance,
  get: getInstance,
  getStatus,
  getAll: listInstances,
  getTemplates: listTemplates,
  checkAddresses,
  delete: deleteInstance,
}

function objectIn(functions: IExecuteFunctions, parameter: string, itemIndex: number): IDataObject {
  const given = functions.getNodeParameter(parameter, itemIndex, {})
  try {
    const value: unknown = typeof given === 'string' ? JSON.parse(given || '{}') : given
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as IDataObject
  } catch {
    // Text that is no JSON is refused below.
  }
  throw new NodeOperationError(functions.getNode(), `The ${parameter} are no JSON object`, { itemIndex })
}
