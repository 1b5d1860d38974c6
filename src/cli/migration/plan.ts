import type { EventType } from '../../contract/resources/event.ts'
import type { Instance } from '../../contract/resources/instance.ts'
import type { Webhook } from '../../contract/resources/webhook.ts'
import type { SourceAccount } from './gateway.ts'

/** The next step for an account: `exists` needs nothing, and `by hand` needs a person. */
export type Step = 'create' | 'exists' | 'by hand'

/** An account there, and its instance here. */
export interface PlannedInstance {
  readonly account: SourceAccount
  /** The name of the instance. */
  readonly name: string
  readonly step: Step
}

export interface PlannedWebhook {
  readonly url: string
  readonly events: readonly EventType[] | null
  readonly instances: readonly string[]
  readonly step: Exclude<Step, 'by hand'>
}

export interface Plan {
  readonly instances: readonly PlannedInstance[]
  readonly webhooks: readonly PlannedWebhook[]
}

/** All that the organization has already. */
export interface Present {
  readonly instances: readonly Pick<Instance, 'name' | 'network' | 'metadata'>[]
  readonly webhooks: readonly Pick<Webhook, 'url' | 'events' | 'instances'>[]
}

/** Characters of a name. */
const maxName = 63
/** Instances of a webhook. */
const maxInstances = 200

/** Decides about each account and webhook. The same accounts lead to the same names, so that a later run finds all of them. */
export function planFor(accounts: readonly SourceAccount[], label: string, present: Present): Plan {
  const instances = instancesFor(accounts, label, present)
  return { instances, webhooks: webhooksFor(instances, present) }
}

/** A name as instances have them: lower-case letters, digits, `-` and `_`. */
export function instanceNameFor(name: string): string {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const words = plain.replaceAll(/[^a-z0-9_-]+/g, '-').replaceAll(/^[-_]+|[-_]+$/g, '')
  return words.slice(0, maxName).replace(/[-_]+$/, '') || 'instance'
}

function instancesFor(
  accounts: readonly SourceAccount[],
  label: string,
  present: Present,
): PlannedInstance[] {
  const known = new Map(present.instances.map(({ metadata, name }) => [metadata[label], name]))
  const taken = new Set(present.instances.map(({ name }) => name))
  const plainFirst = accounts.toSorted(
    (one, other) =>
      Number(instanceNameFor(other.name) === other.name) - Number(instanceNameFor(one.name) === one.name) ||
      (one.name < other.name ? -1 : 1),
  )
  const planned = new Map<SourceAccount, PlannedInstance>()
  const claimed = new Set<string>()
  for (const account of plainFirst) {
    const name = known.get(account.name) ?? unlabelled(account, label, present, claimed)
    const step: Step = name !== undefined ? 'exists' : account.byHand === undefined ? 'create' : 'by hand'
    const own = name ?? freeName(instanceNameFor(account.name), taken)
    taken.add(own)
    claimed.add(own)
    planned.set(account, { account, name: own, step })
  }
  return accounts.flatMap((account) => planned.get(account) ?? [])
}

/** The instance of this name and network that a person may have created for the account, as the guide says. */
function unlabelled(
  account: SourceAccount,
  label: string,
  present: Present,
  claimed: ReadonlySet<string>,
): string | undefined {
  const name = instanceNameFor(account.name)
  return present.instances.find(
    (instance) =>
      instance.name === name &&
      instance.network === account.network &&
      instance.metadata[label] === undefined &&
      !claimed.has(name),
  )?.name
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? '' : `-${number}`
    const name = wanted.slice(0, maxName - suffix.length) + suffix
    if (!taken.has(name)) return name
  }
}

function webhooksFor(instances: readonly PlannedInstance[], present: Present): PlannedWebhook[] {
  const wanted = instances
    .filter(({ step }) => step !== 'by hand')
    .flatMap(({ name, account }) => account.webhooks.map((webhook) => ({ name, ...webhook })))
    .filter(({ events }) => events === null || events.length > 0)
  const groups = Map.groupBy(wanted, ({ url, events }) => JSON.stringify([url, events?.toSorted()]))
  return [...groups.values()].flatMap((group) => {
    const [{ url, events }] = group as [(typeof group)[0]]
    const names = [...new Set(group.map(({ name }) => name))]
    const missing = names.filter((name) => !present.webhooks.some((one) => covers(one, url, events, name)))
    const there = names.filter((name) => !missing.includes(name))
    const parts = Array.from({ length: Math.ceil(missing.length / maxInstances) }, (_, part) =>
      missing.slice(part * maxInstances, (part + 1) * maxInstances),
    )
    return [
      ...(there.length > 0 ? [{ url, events, instances: there, step: 'exists' as const }] : []),
      ...parts.map((part) => ({ url, events, instances: part, step: 'create' as const })),
    ]
  })
}

/** True if a webhook sends these events of this instance to this URL. */
function covers(
  webhook: Present['webhooks'][number],
  url: string,
  events: readonly EventType[] | null,
  instance: string,
): boolean {
  const hasEvents =
    webhook.events === null || (events?.every((event) => webhook.events?.includes(event)) ?? false)
  return (
    webhook.url === url && hasEvents && (webhook.instances === null || webhook.instances.includes(instance))
  )
}
