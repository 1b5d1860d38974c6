import { defineNetwork } from '../driver/network.ts'
import { xmpp } from './driver.ts'
import { removed } from './operator-settings.ts'

export const network = defineNetwork({
  removed,
  makeDriver: (_, { guard, names }) => xmpp({ guard, names }),
})
