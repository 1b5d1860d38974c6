import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Operation } from '../../../src/contract/operation.ts'
import { listEvents } from '../../../src/contract/operations/event-operations.ts'
import { createInstance } from '../../../src/contract/operations/instance-operations.ts'
import { createKey } from '../../../src/contract/operations/key-operations.ts'
import { sendMediaMessage } from '../../../src/contract/operations/message-operations.ts'
import { createWebhook, testWebhook } from '../../../src/contract/operations/webhook-operations.ts'
import type { Posthorn } from '../posthorn.ts'
import type { RawReply } from './checked-client.ts'

/* Requests that are made from the contract, so that plays about all operations cover a new one by themselves. */

/** Existing values, by the name of the parameter. */
export type Names = Readonly<Record<string, string>>

/** Names of things that do not exist. */
export const nobodys: Names = {
  name: 'nobodys',
  instance: 'nobodys',
  id: `msg_${'0'.repeat(26)}`,
  key: `key_${'0'.repeat(26)}`,
  organization: 'nobodys',
  webhook: `wh_${'0'.repeat(26)}`,
  delivery: `dlv_${'0'.repeat(26)}`,
  event: `evt_${'0'.repeat(26)}`,
  node: `node_${'0'.repeat(26)}`,
  address: 'nobody@accepts.sandbox',
  group: 'nobodys@group-gone.sandbox',
  code: 'no_such_problem',
}

/** Makes an instance with something of everything: a message with a file, a webhook, and a delivery for it. */
export async function somethingOfEverything(
  { admin, data }: Posthorn,
  name: string,
  receiver = 'https://example.org/hooks',
): Promise<Names> {
  await admin.call(createInstance, { body: { name }, waitSeconds: 10 })
  const file = new FormData()
  const fields = { instance: name, to: 'ana@accepts.sandbox', kind: 'document', client_ref: 'same' }
  for (const [field, value] of Object.entries(fields)) file.set(field, value)
  file.set('file', new Blob(['a file']), 'a.txt')
  const message = await admin.call(sendMediaMessage, { body: file, waitSeconds: 10 })
  const webhook = await admin.call(createWebhook, { body: { url: receiver } })
  const key = await admin.call(createKey, { body: { role: 'read' } })
  const delivery = await admin.call(testWebhook, { params: { webhook: webhook.body.id } })
  const ofInstance = { types: ['message.queued' as const], instances: [name], last: 1 }
  const events = await admin.call(listEvents, { query: ofInstance })
  return {
    name,
    instance: name,
    id: message.body.id,
    key: key.body.id,
    organization: 'default',
    webhook: webhook.body.id,
    delivery: delivery.body.id,
    event: events.body.data[0]?.id ?? '',
    node: readFileSync(join(data, 'node.id'), 'utf8').trim(),
    address: 'ana@accepts.sandbox',
    group: 'team@group.sandbox',
    code: 'queue_full',
  }
}

/** The operation as its first example calls it, on what `names` has. */
export function request(
  posthorn: Posthorn,
  operation: Operation,
  names: Names,
  authorization: string | undefined,
  body?: string,
): Promise<RawReply> {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = names[thingNamed(operation, name)]
    assert.ok(value, `no play knows the parameter ${name}; add it to ours and nobodys`)
    return value
  })
  const example = exampleOf(operation, names)
  const headers = {
    ...(authorization === undefined ? {} : { authorization }),
    ...(example ? { 'content-type': example.type } : {}),
  }
  return posthorn.client().rawRequest(operation.method, path, {
    headers,
    ...(example ? { body: body ?? example.body } : {}),
  })
}

/** The first example of the body that it takes: JSON, or else a form. */
function exampleOf(
  { body, multipart, examples, multipartExamples }: Operation,
  { instance }: Names,
): { readonly type: string; readonly body: string } | undefined {
  if (!body && !multipart) return undefined
  const shown = Object.values((body ? examples : multipartExamples) ?? {})[0]?.value as object
  const fields = atInstance(shown, instance)
  if (body) return { type: 'application/json', body: JSON.stringify(fields) }
  const parts = Object.entries(fields).map(
    ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  return { type: 'multipart/form-data; boundary=b', body: `${parts.join('')}--b--\r\n` }
}

/** The example with this instance in place of its own. */
function atInstance(shown: object, instance: string | undefined): object {
  if ('messages' in shown && Array.isArray(shown.messages))
    return { ...shown, messages: shown.messages.map((each: object) => atInstance(each, instance)) }
  return 'instance' in shown ? { ...shown, instance } : shown
}

/**
 * Returns the kind of thing that a parameter of the path names: an id is that of a message, but in the paths of keys that of
 * a key.
 */
export function thingNamed({ path }: Operation, name: string): string {
  if (name === 'address' && path.includes('/groups/')) return 'group'
  return name === 'id' && path.includes('/keys/') ? 'key' : name
}

export function pathNames(operation: Operation, names: Names): Names {
  const inBraces = [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
  const wanted = inBraces.map((name) => thingNamed(operation, name))
  return Object.fromEntries(wanted.map((name) => [name, names[name] ?? '']))
}

export function isList(responses: Operation['responses']): boolean {
  const properties = (responses[200]?.body as { properties?: object } | undefined)?.properties
  return properties !== undefined && 'data' in properties && 'next_cursor' in properties
}

export function bearer(key: string): { headers: Record<string, string> } {
  return { headers: { authorization: `Bearer ${key}` } }
}

export function codeOf(reply: RawReply): string {
  return (reply.json as { code?: string } | undefined)?.code ?? `${reply.status}`
}

/** Status, headers and body, without what differs between any two requests, or any two moments. */
export function withoutRequestId({ status, headers, text }: RawReply): string {
  const { 'request-id': requestId = '', date: _, ...others } = headers
  const timeless = text.replace(/"counted_until":"[^"]+"/, '')
  return JSON.stringify({ status, others, text: timeless.replaceAll(requestId, 'req_…') })
}
