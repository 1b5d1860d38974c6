import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Act } from './acts.ts'
import type { Faults, Orders } from './control.ts'

/** The far end of the Cloud API in a process of its own, with one number and one token to begin with. */
export interface WhatsAppCloud {
  /** In front of `/v26.0/…`. */
  readonly url: string
  readonly appSecret: string
  readonly token: string
  readonly waba: string
  readonly number: string
  readonly displayPhoneNumber: string
  /** Gives an order to the control side. Rejects if it cannot be carried out. */
  control<Name extends keyof Orders>(name: Name, asked: Orders[Name][0]): Promise<Orders[Name][1]>
  /** A person does something; returns the id of the message that it makes or is about. */
  act(person: string, act: Act): Promise<string>
  fault<On extends Faults['on']>(on: On, fault: Extract<Faults, { readonly on: On }>['fault']): Promise<void>
  stop(): Promise<void>
}

const beginning = {
  appSecret: 'a-secret-of-the-app',
  token: 'EAAtoken',
  waba: '200000000000001',
  number: '100000000000001',
  displayPhoneNumber: '15550001111',
}

/** Starts the far end. */
export async function startWhatsAppCloud(): Promise<WhatsAppCloud> {
  const program = new URL('./main.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [program, beginning.appSecret], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface(child.stdout)
  const [line] = (await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(() => Promise.reject(new Error('the far end did not start'))),
  ])) as [string]
  const { url } = JSON.parse(line) as { url: string }

  async function control<Name extends keyof Orders>(name: Name, asked: Orders[Name][0]) {
    const answer = await fetch(`${url}/control/${name}`, { method: 'POST', body: JSON.stringify(asked) })
    const body: unknown = await answer.json()
    if (!answer.ok) throw new Error((body as { error: string }).error)
    return body as Orders[Name][1]
  }

  const { number: id, waba, displayPhoneNumber: display_phone_number, token } = beginning
  await control('number', { id, waba, display_phone_number })
  await control('token', { token, wabas: [waba], state: 'valid' })
  return {
    url,
    ...beginning,
    control,
    act: async (person, act) => (await control('act', { person, ...act })).id,
    fault: async (on, fault) => {
      await control('fault', { on, fault } as Faults)
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}
