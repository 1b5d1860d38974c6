import { eventually } from '../play.ts'
import { Attacker, type Attacking } from './attacker.ts'

const atOnce = 100
/** Milliseconds in which the text is tried. */
const life = 3_000

/** Sends a text of which nothing is known afterwards, and so many replies to it, which wait until that changes. */
export async function followUnknown(attacking: Attacking, followers: number): Promise<void> {
  const attacker = new Attacker(attacking, 2)
  const [instance, to] = ['follows', 'ana@never-certain.sandbox']
  await attacker.createInstance(instance)
  const expires_at = new Date(Date.now() + life).toISOString()
  const body = { instance, to, text: 'Did it come?', expires_at }
  const { id } = await attacker.get<{ id: string }>('POST', '/v1/messages/text', 202, { body })
  const status = async () => (await attacker.get<{ status: string }>('GET', `/v1/messages/${id}`, 200)).status
  await eventually('nothing more to be tried', status, (now) => now === 'unknown')
  for (let sent = 0; sent < followers; sent += atOnce) {
    const messages = Array.from({ length: Math.min(atOnce, followers - sent) }, (_, number) => ({
      ...{ type: 'text', instance, to, text: `Reply ${sent + number}`, reply_to: id },
    }))
    await attacker.get('POST', '/v1/messages/batch', 200, { body: { messages } })
  }
  attacker.end()
}
