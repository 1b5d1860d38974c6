import { Attacker } from '../../test/kit/attacks/attacker.ts'
import {
  SilentReaders,
  sendSteadily as sendTexts,
  waitForNothing,
} from '../../test/kit/attacks/connections.ts'
import {
  askForStatistics,
  callWithManyKeys,
  countedInstances,
  createKeys,
  fillQueues,
  keyOfCounted,
  listColdQueues,
  listLargePages,
  pageOf,
  type Queues,
  statisticsOf,
  storeLargeTexts,
  storeShortTexts,
} from '../../test/kit/attacks/lists.ts'
import { fillWithCallbacks, removeInstances } from '../../test/kit/attacks/removals.ts'
import type { Attack, Prepare } from './attack.ts'

/* Demands of one organization on the store. It has several keys if one may not call often enough. */

const messages = 100

export const fillLargePage: Prepare = (target) => storeLargeTexts(target, messages)

/** Pages of 100 messages with long texts and labels, on 32 connections of one key. */
export const largePages: Attack = async (target) => {
  listLargePages(target, pageOf(messages), 32)
}

const statisticsKeys = 20

export const fillStatistics: Prepare = async (target) => {
  await target.execute(statisticsOf(target.organization, countedInstances))
  const limited = await keyOfCounted(target, countedInstances)
  // As many again that see everything, which are answered sooner and so call more often.
  return (await createKeys(target, statisticsKeys)).flatMap((key) => [key, limited])
}

/** Every hour of 30 days, on 64 connections, half of them with a key that is limited to 27 instances. */
export const longStatistics: Attack = async (target) => {
  askForStatistics(target, target.prepared as string[], 64)
}

const keysOfOne = 100

export const prepareKeys: Prepare = async (target) => {
  await storeShortTexts(target, 2_000)
  return createKeys(target, keysOfOne)
}

/** Lists of messages, and texts, with 100 keys in turn on 64 connections. */
export const manyKeys: Attack = async (target) => {
  callWithManyKeys(target, target.prepared as string[], { connections: 64, texts: 3 })
}

/** 200 callers who ask for a large page and read nothing of it. */
export const silentReaders: Attack = async (target) => {
  new SilentReaders(target, pageOf(messages), 200)
}

/** 1,000 waits for events, each with a filter of its own, and 20 texts a second. */
export const manyWaits: Attack = async (target) => {
  const sender = new Attacker(target)
  await sender.createInstance('busy')
  waitForNothing(target, 1_000)
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  sendTexts(sender, 'busy', 20)
}

/** Queues as long as they may be by default, in as many instances as an organization may then have of them. */
export const fillLongQueues: Prepare = (target) =>
  fillQueues(target, { queues: 10, texts: 9_990, keys: 100, kept: 600 })

/** 30 lists at a time of instances that have just lost the oldest text of their queue. */
export const coldQueues: Attack = async (target) => {
  listColdQueues(target, target.prepared as Queues, 30)
}

const removed = 4
/** After the neighbour has begun, in milliseconds. */
const removedAfter = 3_000

export const fillCallbacks: Prepare = (target) =>
  fillWithCallbacks(target, { instances: removed, callbacks: 10_000, bytes: 4_000 })

/** Removes four instances at once for which 10,000 callbacks wait each. */
export const removals: Attack = async (target) => {
  setTimeout(() => void removeInstances(target, removed), removedAfter)
}
