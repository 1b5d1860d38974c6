import { bodyOf, openerHeader, urlOf } from './api.ts'
import { type Answer, contract, type OperationId, type Request } from './operations.ts'
import { doubt } from './reach/reach.ts'

/**
 * Calls an operation with a form, and says how much of it has left, from 0 to 1: `fetch` does not tell. Throws what `call`
 * throws.
 */
export async function upload<Id extends OperationId>(
  id: Id,
  request: Request<Id> & { readonly body: FormData },
  progress: (share: number) => void,
): Promise<Answer<Id>> {
  const asked = new XMLHttpRequest()
  asked.open(contract.operations[id]?.method ?? 'POST', urlOf(id, request))
  for (const [name, value] of Object.entries({ ...openerHeader(), ...request.headers }))
    asked.setRequestHeader(name, value)
  asked.upload.onprogress = ({ loaded, total }) => progress(total > 0 ? loaded / total : 0)
  await new Promise<void>((resolve, reject) => {
    asked.onload = () => resolve()
    asked.onerror = () => {
      doubt()
      reject(new TypeError('the server is out of reach'))
    }
    asked.send(request.body)
  })
  const headers = { 'content-type': asked.getResponseHeader('content-type') ?? '' }
  return (await bodyOf(new Response(asked.responseText, { status: asked.status, headers }))) as Answer<Id>
}
