import {
  type Broker,
  confirmTimeout,
  connectTimeout,
  type Published,
  routeOf,
  type Target,
} from './broker.ts'

/** The libraries, as far as they are used here: an installation may be without them, and then without their types. */
interface NatsLibrary {
  connect(options: object): Promise<NatsConnection>
  headers(): { append(name: string, value: string): void }
  nanos(milliseconds: number): number
}
interface NatsConnection {
  close(): Promise<void>
}
interface JetStreamLibrary {
  jetstream(connection: NatsConnection): {
    publish(subject: string, payload: string, options: object): Promise<unknown>
  }
  jetstreamManager(connection: NatsConnection): Promise<{
    readonly streams: { find(subject: string): Promise<string>; add(options: object): Promise<unknown> }
  }>
}

/** The packages of the libraries. Not written into the imports, so that the compiler does not look for them. */
export const natsPackages: readonly string[] = ['@nats-io/transport-node', '@nats-io/jetstream']

/** Milliseconds for which a new stream keeps events, and recognizes an event that it gets again. */
const maxAge = 7 * 24 * 60 * 60_000
const duplicateWindow = 10 * 60_000

/** Connects to a NATS server with JetStream. A stream that takes the subjects is made if there is none. */
export async function connectNats({ url, name }: Target): Promise<Broker> {
  const [nats, js]: [NatsLibrary, JetStreamLibrary] = await Promise.all([
    import(natsPackages[0] as string),
    import(natsPackages[1] as string),
  ])
  const connection = await nats.connect({
    ...serverOf(url),
    name: 'posthorn events forward',
    timeout: connectTimeout,
    // The forwarder connects again itself, and then repeats what was not confirmed.
    reconnect: false,
    pingInterval: 15_000,
    maxPingOut: 2,
  })
  try {
    const { streams } = await js.jetstreamManager(connection)
    await streams.find(`${name}.-.message.queued`).catch(async (error: Error) => {
      if (!/no stream matches/.test(error.message)) throw error
      await streams.add({
        name: name.replaceAll('.', '_'),
        subjects: [`${name}.>`],
        max_age: nats.nanos(maxAge),
        duplicate_window: nats.nanos(duplicateWindow),
      })
    })
  } catch (error) {
    await connection.close().catch(() => undefined)
    throw error
  }
  const client = js.jetstream(connection)
  return {
    // One after the other: if JetStream refuses an event in between, none after it may come before it.
    async publish(events): Promise<Published> {
      for (const [confirmed, event] of events.entries()) {
        const headers = nats.headers()
        headers.append('Content-Type', 'application/json')
        headers.append('Posthorn-Sequence', String(event.sequence))
        headers.append('Posthorn-Epoch', event.epoch)
        const options = { msgID: event.id, headers, timeout: confirmTimeout }
        try {
          await client.publish(`${name}.${routeOf(event)}`, JSON.stringify(event), options)
        } catch (fault) {
          return { confirmed, fault: fault as Error }
        }
      }
      return { confirmed: events.length }
    },
    close: () => connection.close().catch(() => undefined),
  }
}

/** The server and the rights of a URL. A name without a password is a token. */
function serverOf(url: URL): object {
  const { username, password, protocol, host } = url
  const user = decodeURIComponent(username)
  const rights = password ? { user, pass: decodeURIComponent(password) } : user ? { token: user } : {}
  return { servers: [`${protocol}//${host}`], ...rights, ...(protocol === 'tls:' ? { tls: {} } : {}) }
}
