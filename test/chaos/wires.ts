import { startTcpProxy, type TcpProxy } from '../kit/far-ends/tcp-proxy.ts'

/** The side to which a wire leads. */
export type WireEnd = 'database' | 'callers' | 'networks'

/** The connections of one node, each of which can be interrupted. */
export class Wires {
  readonly #proxies: Readonly<Record<WireEnd, TcpProxy[]>> = { database: [], callers: [], networks: [] }
  readonly #node = { port: 0 }
  #door = 0

  /** Changes settings so that these URLs lead through wires. */
  async lead(
    settings: Readonly<Record<string, { readonly url: string; readonly end: WireEnd }>>,
  ): Promise<Record<string, string>> {
    const led: Record<string, string> = {}
    for (const [setting, { url, end }] of Object.entries(settings)) {
      const wired = new URL(url)
      wired.port = String(await this.to(Number(wired.port), end))
      // A URL without a path gets none: a slash would be doubled in front of paths.
      led[setting] = url.endsWith('/') ? wired.href : wired.href.replace(/\/$/, '')
    }
    return led
  }

  /** The port that leads to another one of this machine. */
  to(port: number, end: WireEnd): Promise<number> {
    return this.#lay({ port }, end)
  }

  /** The URL at which callers reach a process that serves here. */
  async doorTo(url: string): Promise<string> {
    this.#node.port = Number(new URL(url).port)
    this.#door ||= await this.#lay(this.#node, 'callers')
    return `http://127.0.0.1:${this.#door}`
  }

  /** From now on nothing passes, and no side notices. */
  hold(end: WireEnd): void {
    for (const proxy of this.#proxies[end]) proxy.hold('to-server', 'to-client')
  }

  /** Lets pass all that was held. */
  release(end: WireEnd): void {
    for (const proxy of this.#proxies[end]) proxy.release()
  }

  /** Ends the connections, and all that was held is lost; new ones are free. */
  cut(end: WireEnd): void {
    for (const proxy of this.#proxies[end]) proxy.cut()
  }

  async stop(): Promise<void> {
    for (const proxy of Object.values(this.#proxies).flat()) await proxy.stop()
  }

  async #lay(target: { readonly port: number }, end: WireEnd): Promise<number> {
    const proxy = await startTcpProxy(target, { remembers: false })
    this.#proxies[end].push(proxy)
    return proxy.port
  }
}
