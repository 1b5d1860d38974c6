import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** Something that has happened to a client. */
export interface ClientEvent extends Record<string, unknown> {
  readonly event: string
}

export interface Client {
  /** Everything that has happened so far. */
  readonly events: readonly ClientEvent[]
  /** The first event of this name, at or after a place, that is as wanted; waits for it. */
  until(event: string, isWanted?: (event: ClientEvent) => boolean, from?: number): Promise<ClientEvent>
  /** Has the client do something. Rejects with what it answers. */
  call(name: string, given?: object): Promise<Record<string, unknown>>
  stop(): Promise<void>
}

/** Starts a client that is a program in this folder, which ends with the test. */
export function startClient(
  t: { after(end: () => Promise<void>): void },
  program: 'baileys-client.ts' | 'zapo-client.ts',
  { args, caFile }: { readonly args: readonly string[]; readonly caFile: string },
): Client {
  const main = new URL(program, import.meta.url).pathname
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: caFile }
  const child = spawn(process.execPath, [main, ...args], { stdio: ['pipe', 'pipe', 'inherit'], env })
  const exited = once(child, 'exit')
  const events: ClientEvent[] = []
  const waiting = new Set<() => void>()
  let lastId = 0
  createInterface({ input: child.stdout }).on('line', (line) => {
    events.push(JSON.parse(line) as ClientEvent)
    for (const look of waiting) look()
  })
  let isOver = false
  // Its last words have been read then.
  child.on('close', () => {
    isOver = true
    for (const look of waiting) look()
  })
  const until: Client['until'] = (event, isWanted = () => true, from = 0) =>
    new Promise((resolve, reject) => {
      let next = from
      const look = () => {
        for (; next < events.length; next += 1) {
          const found = events[next]
          if (found?.event !== event || !isWanted(found)) continue
          waiting.delete(look)
          resolve(found)
          return
        }
        if (isOver) reject(new Error(`The client has ended without “${event}”.`))
      }
      waiting.add(look)
      look()
    })
  const call: Client['call'] = async (name, given = {}) => {
    lastId += 1
    const id = lastId
    child.stdin.write(`${JSON.stringify({ id, call: name, with: given })}\n`)
    const done = await until('done', (event) => event.id === id)
    if (typeof done.error === 'string') throw new Error(done.error)
    return (done.result ?? {}) as Record<string, unknown>
  }
  const stop = async () => {
    child.stdin.end()
    await exited
  }
  t.after(stop)
  return { events, until, call, stop }
}
