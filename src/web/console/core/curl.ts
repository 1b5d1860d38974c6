import { urlOf } from './api.ts'
import { contract, type OperationId, type Request } from './operations.ts'

/** A call of a screen, to be shown. */
export interface ShownCall {
  readonly id: OperationId
  readonly request: Request<OperationId>
}

/** Names a call that a screen makes, with the types of its operation. */
export function shownCall<Id extends OperationId>(id: Id, request: Request<Id> = {}): ShownCall {
  return { id, request: request as ShownCall['request'] }
}

/** The call as a command for a shell. The key stays in a variable: the page does not know it. */
export function curlOf({ id, request }: ShownCall): string {
  const method = contract.operations[id]?.method ?? 'GET'
  const { body, headers = {} } = request
  const isStream = headers.accept === 'text/event-stream'
  const parts = [
    `curl ${isStream ? '-N ' : ''}${method === 'GET' ? '' : `-X ${method} `}${quoted(urlOf(id, request).href)}`,
    '-H "Authorization: Bearer $POSTHORN_KEY"',
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
  ]
  if (body instanceof FormData) {
    for (const [name, value] of body)
      parts.push(
        // With -F, curl would read a file for a text that begins with @ or <.
        value instanceof File
          ? `-F ${quoted(`${name}=@${value.name}`)}`
          : `--form-string ${quoted(`${name}=${value}`)}`,
      )
  } else if (body !== undefined) {
    parts.push("-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`)
  }
  return parts.join(' \\\n  ')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
