import { spawn } from 'node:child_process'
import { ofThisRun } from '../kit/posthorn.ts'
import { endWithUs } from '../kit/processes/end-with-us.ts'

const entry = new URL('../../integrations/chatwoot/src/main.ts', import.meta.url).pathname

/** The bridge as a process of its own, which can be killed. */
export interface BridgeProcess {
  /** The address for webhooks. */
  readonly webhookUrl: string
  output(): string
  /** Resolves as `end` does, also if the process ends by itself. */
  readonly ended: Promise<number | null>
  /** Sends a signal, and resolves with the exit code when the process has ended, or with null if a signal ended it. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>
}

/** Starts the bridge, and resolves when it takes webhooks. Rejects with its output if it ends before. */
export async function spawnBridge(environment: Readonly<Record<string, string>>): Promise<BridgeProcess> {
  const child = spawn(process.execPath, [entry], {
    env: { ...ofThisRun(), BRIDGE_LISTEN: '127.0.0.1:0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  endWithUs(child)
  let output = ''
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve))
  const webhookUrl = await new Promise<string>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      output += chunk.toString()
      const match = /listens on (\S+)/.exec(output)
      if (match?.[1]) resolve(match[1])
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    void exited.then((code) => reject(new Error(`The bridge ended with code ${code}:\n${output}`)))
  })
  return {
    webhookUrl,
    output: () => output,
    ended: exited,
    end: (signal) => {
      child.kill(signal)
      return exited
    },
  }
}
