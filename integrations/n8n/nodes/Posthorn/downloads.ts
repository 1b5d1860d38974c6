import type { IBinaryData, IDataObject, IExecuteFunctions } from 'n8n-workflow'
import { askForFile, call } from './call'
import { pathOfContact } from './paths'
import { pathOf } from './sending'

/** An item with a file beside its JSON. */
export interface FileResult {
  readonly json: IDataObject
  readonly binary: { readonly data: IBinaryData }
}

/** Gets a file for one item. */
export type Download = (functions: IExecuteFunctions, itemIndex: number) => Promise<FileResult>

/** Returns the message, and its file. */
const getFile: Download = async (functions, itemIndex) => {
  const path = pathOf(functions, itemIndex)
  const json = await call(functions, { method: 'GET', path, itemIndex })
  const { bytes, type } = await askForFile(functions, { path: `${path}/media`, itemIndex })
  const { filename } = (json.media ?? {}) as { readonly filename?: string | null }
  return {
    json,
    binary: { data: await functions.helpers.prepareBinaryData(bytes, filename ?? 'file', type) },
  }
}

const getPicture: Download = async (functions, itemIndex) => {
  const path = `${pathOfContact(functions, itemIndex)}/picture`
  const { bytes, type } = await askForFile(functions, { path, itemIndex })
  const name = `picture.${type.replace(/^image\//, '')}`
  const json = { size: bytes.length, mime_type: type }
  return { json, binary: { data: await functions.helpers.prepareBinaryData(bytes, name, type) } }
}

/** Operations that get a file, by their resources. */
export const downloads: Readonly<Record<string, Readonly<Record<string, Download>>>> = {
  message: { getFile },
  conversation: { getPicture },
}
