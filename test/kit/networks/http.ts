import { systemClock } from '../../../src/runtime/clock.ts'
import { httpClient } from '../../../src/runtime/outbound/http-client.ts'

/** Alarms that keep no process alive. */
const alarms = {
  in(delay: number, ring: () => void) {
    const timer = setTimeout(ring, delay).unref()
    return { cancel: () => clearTimeout(timer) }
  },
}

/** A client for connections of tests, which may also connect to this machine. */
export const httpForTests = httpClient({
  clock: systemClock,
  alarms,
  allowedBlocks: ['127.0.0.0/8'],
  userAgent: 'Posthorn/test',
})
