import type { IDataObject, IExecuteFunctions } from 'n8n-workflow'
import { everyEntry } from './call'

/** The entries of a list, as many as the item asks for. */
export function listed(
  functions: IExecuteFunctions,
  itemIndex: number,
  path: string,
  query: IDataObject = {},
): Promise<IDataObject[]> {
  const wanted = functions.getNodeParameter('returnAll', itemIndex, false)
    ? undefined
    : (functions.getNodeParameter('limit', itemIndex, 50) as number)
  return everyEntry(functions, { method: 'GET', path, query, itemIndex }, wanted)
}

/** The filters of a list that have a value. */
export function filtersOf(functions: IExecuteFunctions, itemIndex: number): IDataObject {
  const filters = functions.getNodeParameter('filters', itemIndex, {}) as IDataObject
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''))
}
