import { setTimeout as wait } from 'node:timers/promises'
import type { Nodes } from '../kit/nodes/nodes.ts'
import type { PosthornProcess } from '../kit/posthorn.ts'

/** A node whose process is started again whenever it ends, as a service manager does. */
export class ManagedNode {
  readonly name: string
  /** Milliseconds before the process is started again, the next time that it ends. */
  restartsAfter = 0
  readonly #nodes: Nodes
  readonly #onStart: (process: PosthornProcess) => void
  #process: PosthornProcess
  #restarted = Promise.withResolvers<void>()
  #isOver = false

  private constructor(
    nodes: Nodes,
    name: string,
    process: PosthornProcess,
    onStart: (process: PosthornProcess) => void,
  ) {
    this.#nodes = nodes
    this.name = name
    this.#process = process
    this.#onStart = onStart
    void this.#manage()
  }

  /** Starts a node; `onStart` is called with each process that runs it after the first. */
  static async start(
    nodes: Nodes,
    name: string,
    onStart: (process: PosthornProcess) => void,
  ): Promise<ManagedNode> {
    return new ManagedNode(nodes, name, await nodes.start(name), onStart)
  }

  get process(): PosthornProcess {
    return this.#process
  }

  /** Resolves when another process runs it than now. */
  get restarted(): Promise<void> {
    return this.#restarted.promise
  }

  /** Its process is not started again. */
  leave(): void {
    this.#isOver = true
  }

  async #manage(): Promise<void> {
    for (;;) {
      await this.#process.ended
      await wait(this.restartsAfter)
      this.restartsAfter = 0
      if (this.#isOver) return
      this.#process = await this.#nodes.start(this.name)
      this.#onStart(this.#process)
      this.#restarted.resolve()
      this.#restarted = Promise.withResolvers()
    }
  }
}
