import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { type Actions, actions } from './control.ts'

/** Everything that a test can do with the simulator. */
export type Control = {
  readonly [Name in keyof Actions]: (
    given: Parameters<Actions[Name]>[1],
  ) => Promise<Awaited<ReturnType<Actions[Name]>>>
}

export interface TelegramProcess {
  /** Address of the Bot API, as `https://api.telegram.org` would be. */
  readonly url: string
  readonly control: Control
  /** Ends it at once. */
  stop(): Promise<void>
}

/** Starts a Telegram in a process of its own, which ends with the test or suite. */
export async function startTelegram(t: { after(end: () => Promise<void>): void }): Promise<TelegramProcess> {
  const child = spawn(process.execPath, [new URL('main.ts', import.meta.url).pathname], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const stop = async () => {
    child.kill('SIGKILL')
    await exited
  }
  t.after(stop)
  const line = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), exited])
  if (typeof line[0] !== 'string' || !line[0].startsWith('{')) throw new Error('The Telegram did not start.')
  const { url } = JSON.parse(line[0]) as { url: string }
  return { url, control: controlAt(url), stop }
}

function controlAt(url: string): Control {
  const call = (name: string) => async (given: unknown) => {
    const response = await fetch(`${url}/control/${name}`, { method: 'POST', body: JSON.stringify(given) })
    const result = await response.json()
    if (!response.ok) throw new Error(`${name}: ${(result as { error: string }).error}`)
    return result
  }
  return Object.fromEntries(Object.keys(actions).map((name) => [name, call(name)])) as Control
}
