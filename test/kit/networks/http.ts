import { type HttpClient, httpClients } from '../../../src/net/http/client.ts'
import { NameResolver } from '../../../src/net/resolve/names.ts'
import { systemClock } from '../../../src/runtime/clock.ts'

/** Alarms that keep no process alive. */
const alarms = {
  in(delay: number, ring: () => void) {
    const timer = setTimeout(ring, delay).unref()
    return { cancel: () => clearTimeout(timer) }
  },
}

/** A client for connections of tests, which may also connect to this machine. */
export function httpWith(names: NameResolver): HttpClient {
  const allowedBlocks = ['127.0.0.0/8']
  return httpClients({ names, clock: systemClock, alarms, allowedBlocks, userAgent: 'Posthorn/test' }).of(
    'tests',
  )
}

export const httpForTests = httpWith(new NameResolver())
