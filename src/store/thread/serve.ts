import { type MessagePort, parentPort } from 'node:worker_threads'
import type { CallResult, GroupResult } from '../commit.ts'
import { LeaseTaken, StoreUnavailable } from '../store.ts'
import {
  type Crossing,
  crossingFault,
  type GroupOptions,
  type NamedCall,
  parsed,
  type ThreadAnswer,
  type ThreadAnswers,
  type ThreadOrder,
  type ThreadReport,
} from './store-worker.ts'

/** A store that is open on this thread. */
export interface ThreadService {
  /** A text that distinguishes it from a store that took its place. */
  readonly identity: string
  /** Performs a group; never rejects. */
  perform(group: readonly NamedCall[], options: GroupOptions): Promise<GroupResult>
  close(): Promise<void> | void
}

/** Performs the groups that the main thread sends, until it orders this thread to end. A thread serves one store. */
export function serveCalls(service: ThreadService): void {
  const port = parentPort
  if (!port) throw new Error('the store must run on a thread of its own')
  port.on('message', async (crossing: Crossing<ThreadOrder>) => {
    const order = parsed(crossing)
    if ('end' in order) {
      await service.close()
      port.postMessage({ ended: true } satisfies ThreadReport)
      return port.close()
    }
    const { group, ...options } = order
    const { answers, ...performed } = await service.perform(group, options)
    const answered = { ...performed, answers: answers.map(crossed) }
    if (typeof crossing === 'string') port.postMessage(JSON.stringify(answered satisfies ThreadReport))
    else report(port, answered)
  })
  port.postMessage({ opened: service.identity } satisfies ThreadReport)
}

/** Sends the answers. A result that cannot cross to the main thread is the fault of the function that returned it. */
function report(port: MessagePort, performed: ThreadAnswers): void {
  try {
    port.postMessage(performed satisfies ThreadReport)
  } catch {
    const crossing = performed.answers.map((answer) => {
      const fault = crossingFault(answer)
      return answer && fault ? faultOf(fault, answer.cost) : answer
    })
    port.postMessage({ ...performed, answers: crossing } satisfies ThreadReport)
  }
}

/** Returns the part of an outcome that the main thread needs to know. */
function crossed(outcome: CallResult | null): ThreadAnswer | null {
  if (!outcome) return null
  return 'error' in outcome
    ? faultOf(outcome.error, outcome.cost)
    : { value: outcome.value, cost: outcome.cost }
}

/** The answer to a call that failed. */
function faultOf(error: Error, cost: number): ThreadAnswer {
  const { message, stack } = error
  if (error instanceof LeaseTaken) return { fault: { message, kind: 'lease taken' }, cost }
  if (error instanceof StoreUnavailable) return { fault: { message, kind: error.failure }, cost }
  return { fault: { message, kind: 'fault', ...(stack ? { stack } : {}) }, cost }
}
