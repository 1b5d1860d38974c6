import type { BodyOf } from '../src/contract/operation.ts'
import { createInstance } from '../src/contract/operations/instance-operations.ts'
import { sendMediaMessage, sendTextMessage } from '../src/contract/operations/message-operations.ts'
import type { MediaKind } from '../src/contract/resources/message.ts'
import type { Server } from './network-demo.ts'

/** Creates the instance `shop`, and says what it is connected as. */
export async function connect(server: Server, instance: Omit<BodyOf<typeof createInstance>, 'name'>) {
  const body = { name: 'shop', ...instance }
  const { body: shop } = await server.admin.call(createInstance, { body, waitSeconds: 20 })
  if (shop.status !== 'connected') throw new Error(`the instance is ${shop.status}: ${shop.reason?.detail}`)
  console.log(`The instance "shop" is connected as ${shop.account?.address}.\n`)
  return shop
}

/** Sends a text through the instance `shop`. */
export async function say(server: Server, to: string, text: string): Promise<void> {
  console.log(`\nThe shop answers: ${text}`)
  const body = { instance: 'shop', to, text }
  await server.admin.call(sendTextMessage, { body, waitSeconds: 20 })
}

export interface Sending {
  readonly to: string
  readonly kind: MediaKind
  readonly filename: string
  readonly bytes: Uint8Array
}

/** Sends a file through the instance `shop`. */
export async function sendFile(server: Server, { to, kind, filename, bytes }: Sending): Promise<void> {
  console.log(`\nThe shop sends ${filename}.`)
  const body = new FormData()
  for (const [name, value] of Object.entries({ instance: 'shop', to, kind })) body.set(name, value)
  body.set('file', new Blob([new Uint8Array(bytes)]), filename)
  await server.admin.call(sendMediaMessage, { body, waitSeconds: 20 })
}
