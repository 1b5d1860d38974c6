import type { Changes } from '../runtime/changes.ts'
import type { Clock } from '../runtime/clock.ts'
import { newId } from '../runtime/ids.ts'
import type { Log } from '../runtime/log.ts'
import type { Seal } from '../runtime/secrets/seal.ts'
import type { StoreForAll, Turn } from '../store/store.ts'
import { answerAsk, forgetAsks, insertAsk, listAsks, readAnswer, readOwner } from './ask-store.ts'
import type { NodeLease } from './node-lease.ts'
import type { Peers } from './peers.ts'

/** Milliseconds after which no caller waits for an answer any longer. */
const longest = 40_000

/** The node that runs an instance did not answer, or there is none at this moment. */
export class NodeSilent extends Error {
  override readonly name = 'NodeSilent'
  /** False if it is certain that nothing was done. */
  readonly mayBeDone: boolean

  constructor(message: string, { mayBeDone }: { readonly mayBeDone: boolean }) {
    super(message)
    this.mayBeDone = mayBeDone
  }
}

/** Performs what another node asks of an instance that this one runs; undefined if it does not. */
export type Perform = (instance: string, task: string, argument: unknown) => Promise<unknown>

interface Context {
  readonly store: StoreForAll
  readonly node: Pick<NodeLease, 'id'>
  readonly peers: Pick<Peers, 'isHeard'>
  readonly seal: Pick<Seal, 'open' | 'close'>
  readonly clock: Clock
  readonly log: Log
  readonly tell: (topic: 'asked' | 'answered', id: string) => void
  /** Announces answers, by the id of their ask. */
  readonly answers: Pick<Changes, 'until'>
}

/**
 * Tasks that a node carries out even if the caller has given up: an order is stored, and so is that a person is to be forgotten, so a node that
 * stood still for a moment, and was not replaced, must hear of it. Milliseconds for which they wait: longer than any lease.
 */
const lastingTasks: ReadonlySet<string> = new Set(['order', 'forget-pictures'])
const lastingFor = 60_000

/** Asks that a node performs at the same time. */
const maxUnderway = 1_000

const turn: Turn = { party: 'nodes' }

/** The answer of an instance, or that its node does not run it any longer. */
type Answer = { readonly result: unknown } | { readonly elsewhere: true } | { readonly failed: true }

/** Asks other nodes for what only the one that runs an instance can do, and answers what they ask. */
export class Asks {
  readonly #context: Context
  readonly #underway = new Set<string>()
  /** When each ask that this node has ever taken expires, in the order of taking. */
  readonly #taken = new Map<string, number>()

  constructor(context: Context) {
    this.#context = context
  }

  /**
   * The answer of the node that runs an instance; undefined if the instance is gone, or this node runs it and has just ended that.
   * Rejects with `NodeSilent` if no node answers.
   */
  async ask(instance: string, task: string, argument: unknown, signal: AbortSignal): Promise<unknown> {
    const { store, node, peers } = this.#context
    const owner = await store.read(readOwner, { id: instance }, turn)
    if (owner === undefined || owner === node.id) return undefined
    if (owner === null || !(peers.isHeard(owner) || lastingTasks.has(task)))
      throw new NodeSilent('no node runs the instance at this moment', { mayBeDone: false })
    const answer = await this.#answerOf(owner, { instance_id: instance, task }, argument, signal)
    if (!answer || !('result' in answer)) {
      const mayBeDone = !answer || 'failed' in answer
      throw new NodeSilent(`the node of the instance has not answered (${task})`, { mayBeDone })
    }
    return answer.result ?? undefined
  }

  async #answerOf(
    owner: string,
    asked: { readonly instance_id: string; readonly task: string },
    argument: unknown,
    signal: AbortSignal,
  ): Promise<Answer | undefined> {
    const { store, peers, clock, tell, answers } = this.#context
    const id = newId('ask')
    const sealed = this.#close(argument, 'argument', id)
    const isLasting = lastingTasks.has(asked.task)
    const expires_at = clock.now() + (isLasting ? lastingFor : longest)
    let isAnswered = false
    await store.transact(insertAsk, { ...asked, id, node: owner, argument: sealed, expires_at }, turn)
    tell('asked', owner)
    try {
      const read = () => store.read(readAnswer, { id }, turn)
      const isOver = (answer: Uint8Array | null) => answer !== null || !peers.isHeard(owner)
      const kept = await answers.until(id, { ms: longest, signal }, read, isOver)
      isAnswered = kept !== null
      return kept ? (this.#open(kept, 'answer', id) as Answer) : undefined
    } finally {
      const forgotten = isAnswered || !isLasting ? id : ''
      await store.transact(forgetAsks, { id: forgotten, now: clock.now() }, turn).catch(() => {})
    }
  }

  /** Performs what other nodes ask of this one, each once. Never rejects. */
  async take(perform: Perform): Promise<void> {
    const { store, node, clock, log } = this.#context
    const now = clock.now()
    this.#forgetTaken(now)
    if (this.#underway.size >= maxUnderway) return
    const underway = [...this.#underway]
    try {
      for (const ask of await store.read(listAsks, { node: node.id, now, underway }, turn)) {
        // Another look may have taken it meanwhile, and its answer may be stored only now, or not at all.
        if (this.#taken.has(ask.id)) continue
        this.#taken.set(ask.id, ask.expires_at)
        this.#underway.add(ask.id)
        void this.#perform(ask, perform).finally(() => this.#underway.delete(ask.id))
      }
    } catch (error) {
      log.error({ err: error }, 'could not read what other nodes ask')
    }
  }

  /** A look that began before an ask expired may still name it, so they are remembered for longer. */
  #forgetTaken(now: number): void {
    for (const [id, expires_at] of this.#taken) {
      if (expires_at > now - longest) return
      this.#taken.delete(id)
    }
  }

  async #perform(
    {
      id,
      instance_id,
      task,
      argument,
    }: { id: string; instance_id: string; task: string; argument: Uint8Array },
    perform: Perform,
  ): Promise<void> {
    const { store, tell, log } = this.#context
    try {
      const answer: Answer = await perform(instance_id, task, this.#open(argument, 'argument', id)).then(
        (result) => (result === undefined ? { elsewhere: true } : { result }),
        (error) => {
          log.error({ err: error, instance_id, task }, 'could not do what another node asked')
          return { failed: true }
        },
      )
      await store.transact(answerAsk, { id, answer: this.#close(answer, 'answer', id) }, turn)
      tell('answered', id)
    } catch (error) {
      log.error({ err: error, instance_id, task }, 'could not answer another node')
    }
  }

  #close(value: unknown, column: string, row: string): Uint8Array {
    return this.#context.seal.close(value ?? null, { table: 'asks', column, row })
  }

  #open(sealed: Uint8Array, column: string, row: string): unknown {
    return this.#context.seal.open(sealed, { table: 'asks', column, row })
  }
}
