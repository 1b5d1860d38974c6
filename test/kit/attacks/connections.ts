import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Attacker, type Attacking } from './attacker.ts'

/* Attacks of an organization with connections: it holds responses that it does not read, and waits. */

/** Callers who ask for a page and read nothing of it but its first bytes. */
export class SilentReaders {
  readonly #sockets = new Set<Socket>()
  #ended = false
  /** Connections that the server has ended. */
  cut = 0

  /** Number of callers that were sent the beginning of a response. */
  begun = 0

  constructor({ url, key }: Attacking, path: string, count: number) {
    const { hostname, port } = new URL(url)
    const head = `GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${key}\r\n\r\n`
    const hold = async () => {
      while (!this.#ended) {
        const socket = connect({ host: hostname, port: Number(port) })
        this.#sockets.add(socket)
        socket.on('error', () => {})
        socket.once('data', () => {
          socket.pause()
          this.begun++
        })
        socket.write(head)
        await once(socket, 'close')
        this.#sockets.delete(socket)
        if (!this.#ended) this.cut++
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }
    for (let index = 0; index < count; index++) void hold()
  }

  end(): void {
    this.#ended = true
    for (const socket of this.#sockets) socket.destroy()
  }
}

/** Waits for events of instances that have none, each with a filter of its own, again when a wait is over. */
export function waitForNothing(attacking: Attacking, count: number): Attacker {
  const attacker = new Attacker(attacking, count)
  attacker.keepAsking((number) => {
    const filter = `instances=nobody-${number % count}&types=message.queued,message.failed`
    return attacker.ask('GET', `/v1/events?after=latest&${filter}`, { headers: { prefer: 'wait=60' } })
  })
  return attacker
}

/** Sends texts at a steady pace; ends with the process, or by the function that it returns. */
export function sendSteadily(attacker: Attacker, instance: string, perSecond: number): () => void {
  let next = 0
  const timer = setInterval(() => {
    const body = { instance, to: `s${next++ % 500}@accepts.sandbox`, text: 'Hello' }
    void attacker.ask('POST', '/v1/messages/text', { body }).catch(() => {})
  }, 1_000 / perSecond)
  return () => clearInterval(timer)
}
