import type { IDataObject, IHookFunctions } from 'n8n-workflow'
import { NodeOperationError } from 'n8n-workflow'
import { ask, call, everyEntry, refusal } from '../Posthorn/call'

/** The webhook at Posthorn, as n8n keeps it with the workflow. Its secret is shown only when it is created. */
interface Registered {
  webhookId?: string
  secret?: string
}

/** The memory of this node, which n8n stores after each change. */
export function memoryOf(functions: { getWorkflowStaticData(type: string): IDataObject }): Registered {
  return functions.getWorkflowStaticData('node') as Registered
}

/** True if Posthorn has the webhook just as the node wants it. */
export async function isRegistered(functions: IHookFunctions): Promise<boolean> {
  const { webhookId, secret } = memoryOf(functions)
  if (webhookId === undefined || secret === undefined) return false
  const called = await ask(functions, { method: 'GET', path: pathOf(webhookId) })
  if (called.body?.code === 'webhook_not_found') return false
  if (called.status !== 200) throw refusal(functions, called)
  const { url, events, instances, ordering, enabled, paused, batch } = called.body ?? {}
  const wanted = wantedBy(functions)
  const present = [url, sorted(events), sorted(instances), ordering, enabled, paused, batch]
  const expected = [
    wanted.url,
    sorted(wanted.events),
    sorted(wanted.instances),
    wanted.ordering,
    true,
    false,
    1,
  ]
  return JSON.stringify(present) === JSON.stringify(expected)
}

/** Creates the webhook. Others to the same URL are removed first: only this node receives there, and it has one secret. */
export async function register(functions: IHookFunctions): Promise<boolean> {
  const body = wantedBy(functions)
  const present = await everyEntry(functions, { method: 'GET', path: '/v1/webhooks' })
  for (const { id, url } of present) if (url === body.url) await remove(functions, id as string)
  const { id, secret } = await call(functions, { method: 'POST', path: '/v1/webhooks', body: { ...body } })
  Object.assign(memoryOf(functions), { webhookId: id, secret })
  return true
}

/** Removes the webhook, and forgets it. */
export async function unregister(functions: IHookFunctions): Promise<boolean> {
  const memory = memoryOf(functions)
  if (memory.webhookId !== undefined) await remove(functions, memory.webhookId)
  delete memory.webhookId
  delete memory.secret
  return true
}

async function remove(functions: IHookFunctions, id: string): Promise<void> {
  const called = await ask(functions, { method: 'DELETE', path: pathOf(id) })
  if (called.status > 299 && called.body?.code !== 'webhook_not_found') throw refusal(functions, called)
}

const pathOf = (id: string): string => `/v1/webhooks/${encodeURIComponent(id)}`

function wantedBy(functions: IHookFunctions) {
  const url = functions.getNodeWebhookUrl('default')
  if (url === undefined) throw new NodeOperationError(functions.getNode(), 'n8n has no URL for this webhook')
  const events = functions.getNodeParameter('events', []) as string[]
  const instances = functions.getNodeParameter('instances', []) as string[]
  const ordering = functions.getNodeParameter('options.inOrder', false) ? 'per_instance' : 'none'
  return {
    url,
    events: events.length === 0 || events.includes('*') ? null : events,
    instances: instances.length === 0 ? null : instances,
    ordering,
  }
}

const sorted = (list: unknown): unknown => (Array.isArray(list) ? [...list].sort() : null)
