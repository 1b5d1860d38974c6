import { handler } from '../../contract/handler.ts'
import { checkAddresses as operation } from '../../contract/operations/instance-operations.ts'
import { lackingAbility, Problem } from '../../contract/problem.ts'
import { problems } from '../../contract/problems.ts'
import { timestamp } from '../../runtime/clock.ts'
import { unanswered } from '../template-questions.ts'
import { type InstanceOperationsContext, readInstance } from './context.ts'

export const checkAddresses = (context: InstanceOperationsContext) => {
  const { networks, supervisor } = context
  return handler(operation, async ({ caller, params, body, signal }) => {
    const { row } = await readInstance(context, caller.organizationId, params.name)
    const driver = networks.get(row.network)
    if (!driver?.addressChecks) throw lackingAbility('checks_addresses')
    if (row.wanted === 'removed') throw new Problem('instance_deleting')
    const parsed = body.addresses.map((input) => {
      const address = driver.parseAddress(input)
      return { input, address: address.ok ? address.address : null }
    })
    const addresses = [...new Set(parsed.flatMap(({ address }) => address ?? []))]
    const asked = { ...driver.addressChecks, addresses }
    const answer =
      addresses.length === 0
        ? ({ kind: 'checked', addresses: [] } as const)
        : ((await supervisor.ask(row.id, 'check-addresses', asked, signal)) ?? unanswered)
    switch (answer.kind) {
      case 'paced':
        throw new Problem('too_many_checks', { headers: { 'retry-after': String(answer.seconds) } })
      case 'rejected':
        throw new Problem('network_refused', { detail: answer.error.detail })
      case 'unanswered': {
        const detail = `${answer.detail} ${problems.instance_not_connected.explanation}`
        throw new Problem('instance_not_connected', { detail })
      }
    }
    const found = new Map(answer.addresses.map((one) => [one.asked, one]))
    const data = parsed.map(({ input, address }) => {
      const one = address === null ? undefined : found.get(address)
      const exists = one?.exists ?? 'unknown'
      const checked_at = one?.at == null ? null : timestamp(one.at)
      return { input, address: one?.canonical ?? address, exists, checked_at }
    })
    return { status: 200, body: { data } }
  })
}
