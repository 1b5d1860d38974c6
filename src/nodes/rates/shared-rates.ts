import type { Log } from '../../runtime/log.ts'
import type { Alarms } from '../../runtime/timers/alarms.ts'
import type { StoreForAll } from '../../store/store.ts'
import type { OtherNodes } from '../other-nodes.ts'
import type { Peers } from '../peers.ts'
import { readRateUse, tellRateUse } from './rate-use-store.ts'

/** Requests by the ids of their keys. */
type Taken = ReadonlyMap<string, number>

/** A limit of requests that counts those of other nodes, too. */
interface SharedLimit {
  takenSince(): Taken
  takenElsewhere(key: string, taken: number): void
}

interface Context {
  readonly store: StoreForAll
  readonly node: { readonly id: string; readonly trusted: boolean }
  readonly peers: Pick<Peers, 'running' | 'exist'>
  readonly otherNodes: Pick<OtherNodes, 'hasHearers' | 'tell'>
  readonly alarms: Pick<Alarms, 'in'>
  readonly log: Log
}

/** Milliseconds between two words about the requests of keys, and between two looks where no word comes: for so long each node may let through what others do as well. */
const toldEvery = 250
const lookEvery = 500
/** Keys in one telling through the store; those beyond are told next. */
const maxKeysTold = 1_000

const turn = { party: 'nodes' }

/**
 * Lets all nodes together hold keys to their rate: each tells the others what keys have taken of it, by words if these come, and otherwise
 * through the store.
 */
export class SharedRates {
  readonly #context: Context
  readonly #limit: SharedLimit
  /** Requests that are still to be told through the store, by key. */
  readonly #untold = new Map<string, number>()
  /** The last telling of each other node that was read; undefined before the first look, which counts nothing: it was told before. */
  #read: Map<string, number> | undefined

  constructor(limit: SharedLimit, context: Context) {
    this.#limit = limit
    this.#context = context
  }

  begin(): void {
    const { otherNodes, peers, node, alarms, log } = this.#context
    const go = async () => {
      // Requests that came while no other node ran are never told: by then as many may come again.
      const taken = this.#limit.takenSince()
      if (!peers.exist) this.#forget()
      else if (otherNodes.hasHearers) this.#tellByWords(taken)
      else if (node.trusted) await this.#goThroughStore(taken)
    }
    const again = () =>
      void go()
        .catch((err) => log.warn({ err }, 'could not tell other nodes about the requests of keys'))
        .finally(() => alarms.in(otherNodes.hasHearers ? toldEvery : lookEvery, again))
    again()
  }

  /** Counts what a node told by a word. */
  hear(word: string): void {
    const [key = '', taken] = word.split(':')
    this.#count(key, Number(taken))
  }

  #count(key: string, taken: number): void {
    if (Number.isInteger(taken) && taken > 0) this.#limit.takenElsewhere(key, taken)
  }

  #forget(): void {
    this.#untold.clear()
    this.#read = undefined
  }

  #tellByWords(taken: Taken): void {
    for (const [key, count] of taken) this.#context.otherNodes.tell('rate', `${key}:${count}`)
    this.#forget()
  }

  async #goThroughStore(taken: Taken): Promise<void> {
    const { store, node } = this.#context
    for (const [key, count] of taken) this.#untold.set(key, (this.#untold.get(key) ?? 0) + count)
    const told = [...this.#untold].slice(0, maxKeysTold)
    if (told.length > 0) {
      await store.transact(tellRateUse, { node: node.id, taken: Object.fromEntries(told) }, turn)
      for (const [key] of told) this.#untold.delete(key)
    }
    await this.#look()
  }

  async #look(): Promise<void> {
    const { store, node, peers } = this.#context
    const others = peers.running.map(({ id }) => id).filter((id) => id !== node.id)
    const asked = others.map((id) => ({ node: id, after: this.#read?.get(id) ?? 0 }))
    const rows = await store.read(readRateUse, asked, turn)
    const isFirst = this.#read === undefined
    this.#read ??= new Map()
    for (const { node: id, number, taken } of rows) {
      if (number <= (this.#read.get(id) ?? 0)) continue
      this.#read.set(id, number)
      if (!isFirst) for (const [key, count] of Object.entries(taken)) this.#count(key, count)
    }
  }
}
