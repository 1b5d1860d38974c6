import type { Network } from '../operations.ts'
import { useCall } from './use-call.ts'

/** Returns the network of an instance, once both are known. */
export function useNetwork(name: string): Network | undefined {
  const instance = useCall('getInstance', name === '' ? null : { params: { name } })
  const networks = useCall('listNetworks')
  return networks.data?.data.find(({ network }) => network === instance.data?.network)
}
