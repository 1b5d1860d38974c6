import { createServer } from 'node:http'
import { client, xml } from '@xmpp/client'
import type { ReceiversOrder } from './xmpp-texts.ts'

/*
 * The recipients over XMPP, in a process of their own: each is a client that is logged in, confirms nothing, and counts what it
 * is told. GET /report tells how many messages came, and how many of them have an id of their own; it forgets both.
 */

const order = JSON.parse(process.env.RECEIVERS ?? '') as ReceiversOrder

let count = 0
let ids = new Set<string>()

async function receive(username: string): Promise<void> {
  const { service, domain, password } = order
  // Without encryption, so a key need not be derived, which takes this library a while.
  const phone = client({
    service,
    domain,
    credentials: (authenticate) => authenticate({ username, password }, 'PLAIN', xml('user-agent')),
  })
  phone.on('error', (error) => {
    throw error
  })
  phone.prependListener('element', (arrived) => {
    // It does not need what was lost to be sent again, and the server would ask for a sign after each message.
    if (arrived.is('features')) arrived.remove('sm', 'urn:xmpp:sm:3')
    if (!arrived.is('message')) return
    count++
    ids.add(`${arrived.attrs.from} ${arrived.attrs.id}`)
  })
  await phone.start()
  await phone.send(xml('presence'))
}

await Promise.all(order.usernames.map(receive))
process.on('SIGTERM', () => process.exit(0))
createServer((request, response) => {
  response.end(JSON.stringify({ count, distinct: ids.size }))
  if (request.url !== '/report') return
  count = 0
  ids = new Set()
}).listen(Number(process.env.RECEIVERS_PORT), '127.0.0.1')
