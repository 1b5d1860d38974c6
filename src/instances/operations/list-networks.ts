import { handler } from '../../contract/handler.ts'
import { networkOf } from '../../contract/network-description.ts'
import { listNetworks as operation } from '../../contract/operations/network-operations.ts'
import type { Network } from '../../contract/resources/network.ts'
import { descriptionOf } from '../../networks/driver/description.ts'
import type { InstanceOperationsContext } from './context.ts'

export const listNetworks = ({ networks }: Pick<InstanceOperationsContext, 'networks'>) => {
  let data: Network[] | undefined
  return handler(operation, async () => {
    data ??= [...networks.values()].map((driver) => networkOf(descriptionOf(driver)))
    return { status: 200, body: { data, next_cursor: null } }
  })
}
