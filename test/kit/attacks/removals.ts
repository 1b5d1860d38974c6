import { callbackSecret, signatureOf, written } from '../sandbox-callbacks.ts'
import { Attacker, type Attacking } from './attacker.ts'

/** Instances that are removed with what waits for them. */
const nameOf = (number: number) => `called-${number}`

/** Creates stopped instances, and posts so many callbacks of so many bytes to each: they wait for it to be started. */
export async function fillWithCallbacks(
  attacking: Attacking,
  size: { readonly instances: number; readonly callbacks: number; readonly bytes: number },
): Promise<void> {
  const attacker = new Attacker(attacking, 64)
  for (let number = 0; number < size.instances; number++) {
    const name = nameOf(number)
    await attacker.createInstance(name, { stopped: true, credentials: { token: callbackSecret } })
    const { callback_url } = await attacker.get<{ callback_url: string }>('GET', `/v1/instances/${name}`, 200)
    const path = callback_url.replace(/^https?:\/\/[^/]+/, '')
    await attacker.forEach(size.callbacks, (index) => {
      const body = written(`${index} `.padEnd(size.bytes, 'x'))
      const headers = { 'content-type': 'application/json', 'x-sandbox-signature': signatureOf(body) }
      return attacker.get('POST', path, 200, { body, headers, key: null })
    })
  }
  attacker.end()
}

/** As much as a text and its metadata may take: 42 KB. */
const longest = {
  text: '語'.repeat(4_096),
  metadata: Object.fromEntries(
    Array.from({ length: 20 }, (_, number) => [`note_${number}`, '語'.repeat(500)]),
  ),
}

/** Creates a stopped instance, and sends so many texts of 42 KB from it: they wait for it to be started. */
export async function fillWithTexts(attacking: Attacking, texts: number): Promise<void> {
  const attacker = new Attacker(attacking)
  const instance = nameOf(0)
  await attacker.createInstance(instance, { stopped: true })
  await attacker.forEach(texts, (number) => {
    const body = { instance, to: `w${number}@accepts.sandbox`, ...longest }
    return attacker.get('POST', '/v1/messages/text', 202, { body })
  })
  attacker.end()
}

/** Removes them all at once; resolves when each is answered. */
export async function removeInstances(attacking: Attacking, count: number): Promise<void> {
  const attacker = new Attacker(attacking)
  await attacker.forEach(count, (number) => attacker.ask('DELETE', `/v1/instances/${nameOf(number)}`))
  attacker.end()
}
