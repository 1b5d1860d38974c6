import { rmSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { listEvents } from '../src/contract/operations/event-operations.ts'
import { freshFolder, spawnPosthorn } from '../test/kit/posthorn.ts'
import { telegramDemo } from './telegram.ts'
import { whatsappDemo } from './whatsapp.ts'
import { whatsappCloudDemo } from './whatsapp-cloud.ts'

/*
 * npm run demo -- telegram | whatsapp | whatsapp-cloud: a conversation over a network, for people without an account there. The network is
 * a simulator in a process of its own; the server is real.
 */

const demos = { telegram: telegramDemo, whatsapp: whatsappDemo, 'whatsapp-cloud': whatsappCloudDemo }

const [name = '', ...options] = process.argv.slice(2)
const demo = Object.hasOwn(demos, name) ? demos[name as keyof typeof demos] : undefined
if (!demo) {
  console.error(`Usage: npm run demo -- ${Object.keys(demos).join(' | ')} [--end]`)
  process.exit(2)
}

const network = await demo.start()
const data = freshFolder()
const server = await spawnPosthorn(data, network.environment)
console.log(`${demo.title} is simulated at ${network.url}; Posthorn serves at ${server.url}.\n`)

let ending = false
async function end(code: number): Promise<never> {
  ending = true
  await server.end('SIGTERM')
  await network.stop()
  rmSync(data, { recursive: true, force: true })
  process.exit(code)
}
process.on('SIGINT', () => void end(0))
process.on('SIGTERM', () => void end(0))

/** Shows what Posthorn reports, as a webhook would get it. */
async function showEvents(): Promise<void> {
  let after: string | undefined
  while (!ending) {
    const { body } = await server.admin.call(listEvents, {
      query: { limit: 100, ...(after !== undefined && { after }) },
      waitSeconds: 1,
    })
    after = body.next_cursor ?? after
    for (const { type, data } of body.data) {
      const { message } = data as {
        message?: {
          kind: string
          text?: string
          media?: { filename: string | null }
          network_message_id: string | null
        }
      }
      if (!message) continue
      const { kind, text, media, network_message_id: id } = message
      const shown = text === undefined ? (media?.filename ?? kind) : `"${text}"`
      console.log(`    ${type.padEnd(18)} ${shown} ${id ?? ''}`)
    }
  }
}

void showEvents().catch(() => undefined)
try {
  await network.converse(server)
  await wait(1_500)
} catch (error) {
  console.error(error)
  await end(1)
}
if (options.includes('--end')) await end(0)
console.log(`
Everything keeps running until you press Ctrl+C. Send something yourself:

  curl -sS ${server.url}/v1/messages/text -H 'Authorization: Bearer ${server.adminKey}' \\
    -H 'Content-Type: application/json' -H 'Prefer: wait=20' \\
    -d '${JSON.stringify({ instance: 'shop', to: network.recipient, text: 'Anything else?' })}'
`)
