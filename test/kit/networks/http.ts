import { httpClients } from '../../../src/net/http/client.ts'
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
export const httpForTests = httpClients({
  names: new NameResolver(),
  clock: systemClock,
  alarms,
  allowedBlocks: ['127.0.0.0/8'],
  userAgent: 'Posthorn/test',
}).of('tests')
