import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { type Actions, actions } from './control.ts'
import type { Addresses } from './server.ts'
import type { ChainFlaw } from './wire/noise-certificate.ts'

/** Everything that a test can do with the simulator. */
export type Control = {
  readonly [Name in keyof Actions]: (
    given: Parameters<Actions[Name]>[1],
  ) => Promise<Awaited<ReturnType<Actions[Name]>>>
}

export interface WhatsAppProcess extends Addresses {
  /** A file with the certificate of the authority, in PEM. */
  readonly caFile: string
  readonly control: Control
  /** Ends it. */
  stop(): Promise<void>
}

/** Starts a WhatsApp in a process of its own, which ends with the test or suite. */
export async function startWhatsApp(
  t: { after(end: () => Promise<void>): void },
  flaw?: ChainFlaw,
): Promise<WhatsAppProcess> {
  const main = new URL('main.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [main, ...(flaw ? [flaw] : [])], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const stop = async () => {
    child.stdin.end()
    await exited
  }
  t.after(stop)
  const line = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), exited])
  if (typeof line[0] !== 'string' || !line[0].startsWith('{')) throw new Error('The WhatsApp did not start.')
  const addresses = JSON.parse(line[0]) as Addresses & { caFile: string }
  return { ...addresses, control: controlAt(addresses.controlUrl), stop }
}

/** The actions of a simulator that serves its control there. */
export function controlAt(url: string): Control {
  const call = (name: string) => async (given: unknown) => {
    const response = await fetch(`${url}/control/${name}`, { method: 'POST', body: JSON.stringify(given) })
    const result: unknown = await response.json()
    if (!response.ok) throw new Error(`${name}: ${(result as { error: string }).error}`)
    return result
  }
  return Object.fromEntries(Object.keys(actions).map((name) => [name, call(name)])) as Control
}
