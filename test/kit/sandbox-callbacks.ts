import { createHmac } from 'node:crypto'
import { createInstance } from '../../src/contract/operations/instance-operations.ts'
import type { CheckedClient } from './http/checked-client.ts'

export const callbackSecret = 'open-sesame'

/** Creates an instance of the sandbox that can be called back, and returns the path of its callbacks. */
export async function createCalledBack(
  client: CheckedClient,
  name: string,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const body = { name, network: 'sandbox', settings, credentials: { token: callbackSecret } }
  const { body: created } = await client.call(createInstance, { body, waitSeconds: 10 })
  if (created.callback_url === null) throw new Error('the instance has no callback URL')
  return created.callback_url
}

export function signatureOf(body: string | Buffer, secret = callbackSecret): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}

/** Returns the body that the sandbox posts if Ana writes this. */
export function written(text: string): string {
  return JSON.stringify({ from: 'ana@delivers.sandbox', text })
}

/** Posts a callback as the network does, signed. */
export function postCallback(
  baseUrl: string,
  path: string,
  body: string | Buffer,
  signature = signatureOf(body),
): Promise<Response> {
  return fetch(`${baseUrl}${path}`, {
    method: 'POST',
    body: typeof body === 'string' ? body : new Uint8Array(body),
    headers: { 'content-type': 'application/json', 'x-sandbox-signature': signature },
  })
}
