import { connect } from 'node:net'
import type { Event } from '../../src/contract/resources/event.ts'

/** An event as it came to a consumer of a broker. */
export interface Received {
  /** The id by which a broker or a consumer recognizes a repetition. */
  readonly messageId: string
  /** The words by which consumers choose: a routing key or a subject. */
  readonly route: string
  readonly event: Event
  /** Its other marks, by name. */
  readonly marks: Readonly<Record<string, unknown>>
}

/** A real broker on loopback, with its data in its own folder. */
export interface TestBroker {
  readonly url: string
  /** Everything that it has kept so far, in its order. */
  received(): Promise<readonly Received[]>
  /** Kills it as a power cut would. Its data stay. */
  kill(): Promise<void>
  /** Starts it again, at the same place and with the same data. */
  start(): Promise<void>
  /** Ends it and removes its data. */
  remove(): Promise<void>
}

/** Returns the options of tests that need a broker, its command and its packages; each skips with the reason if it is missing. */
export function needing(name: string, isThere: boolean, packages: readonly string[]) {
  const absent = packages.filter((each) => !isInstalled(each))
  const reason = isThere
    ? absent.length > 0 && `the optional packages ${absent.join(', ')} are not installed`
    : `${name} is not installed (Debian: apt install ${name})`
  const isRequired = (process.env.POSTHORN_TEST_REQUIRE ?? '').split(/[\s,]+/).includes(name)
  if (reason && isRequired) throw new Error(reason)
  return { skip: reason } as const
}

function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name)
    return true
  } catch {
    return false
  }
}

/** True if a server takes connections at this port of the machine. */
export function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true))
    socket.on('error', () => resolve(false)).on('connect', () => socket.destroy())
  })
}
