import type { DriverConnection } from '../../src/networks/driver/connection.ts'
import type { Driver } from '../../src/networks/driver/driver.ts'
import { sandbox } from '../../src/networks/sandbox/driver.ts'

/**
 * Milliseconds after which the quick sandbox probes a silent connection, and within which its loss is noticed: with the time
 * that a probe may take, and the time that a runner adds to that.
 */
export const probeAfterMs = 300
export const noticedWithinMs = probeAfterMs + 100 + 2_000

/** A sandbox whose connections are probed after a moment. */
export function quickSandbox(transcript?: string): Driver {
  const driver = sandbox(transcript === undefined ? {} : { transcript })
  const limits = { ...driver.limits, probe_after_seconds: probeAfterMs / 1000, probe_timeout_seconds: 0.1 }
  return { ...driver, limits }
}

/** A sandbox called `clingy`, at which an instance must be removed too; `answer` is what the network says to that. */
export function clingySandbox(answer: () => boolean | 'refused'): Driver {
  const driver = sandbox()
  return {
    ...driver,
    network: 'clingy',
    removal: { isNeeded: () => true },
    connect(context) {
      const connection = driver.connect(context)
      return {
        send: (message, attempt) => connection.send(message, attempt),
        probe: () => connection.probe(),
        close: () => connection.close(),
        async remove() {
          const said = answer()
          if (said !== 'refused') return said
          const reason = { code: 'logged_out', detail: 'There is no such account.' }
          context.report({ kind: 'credentials-refused', reason })
          return false
        },
      } satisfies DriverConnection
    },
  }
}
