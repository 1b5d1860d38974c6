import { eventually } from '../play.ts'
import { Attacker, type Attacking } from './attacker.ts'

const atOnce = 100
const [instance, to] = ['follows', 'ana@never-certain.sandbox']

/** Sends a text of which nothing is known afterwards, and so many replies to it, which wait until that changes. */
export async function followUnknown(attacking: Attacking, followers: number): Promise<void> {
  const attacker = new Attacker(attacking, 2)
  await attacker.createInstance(instance)
  const id = await unknownText(attacker)
  for (let sent = 0; sent < followers; sent += atOnce) {
    const messages = Array.from({ length: Math.min(atOnce, followers - sent) }, (_, number) => ({
      ...{ type: 'text', instance, to, text: `Reply ${sent + number}`, reply_to: id },
    }))
    await attacker.get('POST', '/v1/messages/batch', 200, { body: { messages } })
  }
  attacker.end()
}

/** Sends a text until one was tried before it expired; returns its id. */
async function unknownText(attacker: Attacker): Promise<string> {
  for (let life = 3_000; ; life *= 2) {
    const expires_at = new Date(Date.now() + life).toISOString()
    const body = { instance, to, text: 'Did it come?', expires_at }
    const { id } = await attacker.get<{ id: string }>('POST', '/v1/messages/text', 202, { body })
    const read = async () => (await attacker.get<{ status: string }>('GET', `/v1/messages/${id}`, 200)).status
    const over = ['unknown', 'expired']
    const status = await eventually('nothing more to be tried', read, (now) => over.includes(now))
    if (status === 'unknown') return id
  }
}
