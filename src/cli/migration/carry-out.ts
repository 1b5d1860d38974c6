import { type Client, ProblemError } from '../../contract/client/client.ts'
import { createInstance, listInstances } from '../../contract/operations/instance-operations.ts'
import { createWebhook, listWebhooks } from '../../contract/operations/webhook-operations.ts'
import type { Instance } from '../../contract/resources/instance.ts'
import type { Webhook } from '../../contract/resources/webhook.ts'
import { Refusal } from '../command.ts'
import { everyPage } from '../pages.ts'
import type { Plan, PlannedInstance, PlannedWebhook } from './plan.ts'

/** The outcome of one step of a plan. */
export interface CarriedOut<Planned> {
  readonly planned: Planned
  /** The sentence with which the server refused it; undefined if it was done. */
  readonly refused?: string
  /** The secret of a webhook that was created. */
  readonly secret?: string
}

export interface Migration {
  readonly instances: readonly CarriedOut<PlannedInstance>[]
  readonly webhooks: readonly CarriedOut<PlannedWebhook>[]
}

/** All instances and webhooks that the organization of the key has. */
export async function presentAt(client: Client): Promise<{ instances: Instance[]; webhooks: Webhook[] }> {
  const { all: instances } = await everyPage((query) => client.call(listInstances, { query }))
  const { all: webhooks } = await everyPage((query) => client.call(listWebhooks, { query }))
  return { instances, webhooks }
}

/**
 * Creates all that the plan says, one after the other. Throws if the server would refuse the rest as well; a later run goes on from
 * there.
 */
export async function carryOut(client: Client, plan: Plan, label: string): Promise<Migration> {
  const instances: CarriedOut<PlannedInstance>[] = []
  for (const planned of plan.instances.filter(({ step }) => step === 'create'))
    instances.push(await attempted(planned, () => instanceOf(client, planned, label)))
  const refused = new Set(instances.filter((one) => one.refused).map(({ planned }) => planned.name))
  const webhooks: CarriedOut<PlannedWebhook>[] = []
  for (const planned of plan.webhooks.filter(({ step }) => step === 'create')) {
    const names = planned.instances.filter((name) => !refused.has(name))
    if (names.length > 0)
      webhooks.push(await attempted(planned, () => webhookOf(client, { ...planned, instances: names })))
  }
  return { instances, webhooks }
}

async function instanceOf(client: Client, { account, name }: PlannedInstance, label: string) {
  const metadata = { ...account.metadata, [label]: account.name }
  await client.call(createInstance, { body: { name, network: account.network, metadata } })
  return {}
}

async function webhookOf(client: Client, { url, events, instances }: PlannedWebhook) {
  const body = {
    url,
    instances: [...instances],
    ordering: 'per_instance' as const,
    ...(events !== null && { events: [...events] }),
  }
  return { secret: (await client.call(createWebhook, { body })).body.secret }
}

/** Statuses of refusals that concern one instance or webhook alone. */
const refusalsOfOne = [400, 409, 422]

async function attempted<Planned>(
  planned: Planned,
  create: () => Promise<{ secret?: string }>,
): Promise<CarriedOut<Planned>> {
  try {
    return { planned, ...(await create()) }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const { detail, errors, code } = error.problem
    const sentence = [detail, ...(errors ?? []).map((fault) => fault.detail)].join(' ')
    if (refusalsOfOne.includes(error.status)) return { planned, refused: sentence }
    throw new Refusal(
      `the server refuses to go on: ${sentence} (${code}); run this again once that is settled`,
    )
  }
}
