import { createHmac, randomBytes } from 'node:crypto'
import type { Request } from 'autocannon'
import { type CallbackLoad, type CallbackTarget, callbackSecret } from './callback-load.ts'
import { runLoad } from './run-load.ts'

/* Meta's side of the callbacks: messages of a person, signed over their bytes. No two are the same. */

const order = JSON.parse(process.argv[2] ?? '') as CallbackLoad
const run = randomBytes(8).toString('hex')
let count = 0

function bodyFor({ number }: CallbackTarget): string {
  const message = {
    from: `49151${String(count % 10_000).padStart(8, '0')}`,
    from_user_id: 'US.1234567890',
    id: `wamid.${run}${count++}`,
    timestamp: String(Math.floor(Date.now() / 1000)),
    type: 'text',
    text: { body: 'Has my order left your warehouse, and will it be with me tomorrow before noon?' },
  }
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '15550001111', phone_number_id: number },
    contacts: [{ profile: { name: 'Ana' }, wa_id: message.from, user_id: message.from_user_id }],
    messages: [message],
  }
  return JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: '200000000000001', changes: [{ field: 'messages', value }] }],
  })
}

function requestFor(target: CallbackTarget): Request {
  return {
    method: 'POST',
    path: target.path,
    headers: {},
    body: '',
    setupRequest(request) {
      const body = bodyFor(target)
      const signature = createHmac('sha256', callbackSecret).update(body).digest('hex')
      const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` }
      return { ...request, body, headers }
    },
  }
}

const { url, targets, seconds, connections = 64, rate } = order
const shifted = (by: number) => [...targets.slice(by), ...targets.slice(0, by)]
await runLoad({
  url,
  connections,
  seconds,
  rate,
  requestsOf: (connection) => shifted(connection % targets.length).map(requestFor),
  expected: '200',
})
