import { countArrivals } from '../../kit/crash/count-arrivals.ts'
import { checkEvents, type EventFaults, sessionsLost } from './check-events.ts'
import { type Fate, isSent, type Span, type Story } from './story.ts'

/** Everything that must never happen. Each list is empty if all is well. */
export interface Broken extends EventFaults {
  /** Texts that were acknowledged and never arrived. */
  readonly lost: readonly string[]
  /** Texts that arrived under two ids. */
  readonly doubled: readonly string[]
  /** Texts that arrived under another id than was said, first or last. */
  readonly renamed: readonly string[]
  readonly overtaking: readonly string[]
  /** Texts that an instance sent under an epoch, after it had sent under a later one. */
  readonly outdated: readonly string[]
  /** Texts that were acknowledged, and of which no node knows in the end. */
  readonly forgotten: readonly string[]
  /** Texts that nodes show in the end with a status that no fault explains. */
  readonly unexplained: readonly string[]
  /** Processes that ended although their nodes suffered nothing. */
  readonly ended: readonly string[]
  /** Sessions of networks that did not survive, as far ends and nodes say. */
  readonly brokenSessions: readonly string[]
}

export interface Verdict {
  readonly broken: Broken
  /** Arrivals that repeat an earlier one with its id. */
  readonly repeats: number
  /** Texts that are `unknown`, as may be: their network does not recognize repetitions, and a fault hit their attempts. */
  readonly unknown: number
}

/** Milliseconds after a fault in which its consequences may still end a process. */
const aftermath = 10_000

/** Decides what is wrong in a story. Knows nothing of the server. */
export function check(story: Story): Verdict {
  const { acknowledged, arrived, fates } = story
  const fateOf = new Map(fates.map((fate) => [fate.id, fate]))
  const explained = new Set(fates.filter((fate) => isExplained(fate, story)).map(({ id }) => id))
  const told = acknowledged.map(({ text, id, networkMessageId }) => ({
    ...{ text, id, settled: fateOf.get(id) },
    // Ids that a network assigns are known from what the nodes show in the end.
    networkMessageId: networkMessageId ?? fateOf.get(id)?.networkMessageId ?? null,
  }))
  const named = told.map(({ text, networkMessageId }) => ({ text, networkMessageId: networkMessageId ?? '' }))
  const { repeats, ...counted } = countArrivals(named, arrived)
  const nameless = new Set(told.filter((one) => one.networkMessageId === null).map(({ text }) => text))
  const isUnknown = new Set(told.filter(({ id }) => explained.has(id)).map(({ text }) => text))
  const isWrong = ({ id, settled }: (typeof told)[number]) =>
    settled !== undefined && !isSent(settled) && !explained.has(id)
  return {
    broken: {
      ...counted,
      renamed: counted.renamed.filter((text) => !nameless.has(text)),
      lost: counted.lost.filter((text) => !isUnknown.has(text)),
      outdated: outdated(story),
      forgotten: told.filter(({ settled }) => !settled).map(({ text }) => text),
      unexplained: told.filter(isWrong).map(({ text, settled }) => `${text} is ${settled?.status}`),
      ended: endedAlone(story),
      brokenSessions: [...story.complaints, ...sessionsLost(story)],
      ...checkEvents(story),
    },
    repeats,
    unknown: isUnknown.size,
  }
}

/** True if it is unknown whether a message arrived, its network would not have recognized a repetition, and a fault hit an attempt. */
function isExplained({ status, instance, attempts }: Fate, { faults, forgetful }: Story): boolean {
  const isHit = (attempt: Span) =>
    faults.some(({ from, until }) => attempt.from <= until && from <= attempt.until)
  return status === 'unknown' && forgetful.has(instance) && attempts.some(isHit)
}

function outdated({ arrived }: Story): string[] {
  const latest = new Map<string, number>()
  const found: string[] = []
  for (const { instance = '', epoch = 0, text } of arrived) {
    if (epoch < (latest.get(instance) ?? 0)) found.push(`${instance}: ${text} in epoch ${epoch}`)
    latest.set(instance, Math.max(epoch, latest.get(instance) ?? 0))
  }
  return found
}

function endedAlone({ ends, faults }: Story): string[] {
  const isExpected = ({ node, at }: Story['ends'][number]) =>
    faults.some((fault) => (fault.node ?? node) === node && fault.from <= at && at <= fault.until + aftermath)
  return ends.filter((end) => !isExpected(end)).map(({ node, at }) => `${node} at ${at}`)
}

/** The lists of a verdict that are not empty, as they should be. */
export function whatIsBroken({ broken }: Pick<Verdict, 'broken'>): Partial<Broken> {
  return Object.fromEntries(Object.entries(broken).filter(([, found]) => found.length > 0))
}
