import { defineNetwork } from '../driver/network.ts'
import { removed } from './operator-settings.ts'

export const network = defineNetwork({
  removed,
  async makeDriver(_, { guard, names }) {
    const { xmpp } = await import('./driver.ts')
    return xmpp({ guard, names })
  },
})
