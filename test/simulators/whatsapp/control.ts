import { bombActions } from './control/bombs.ts'
import { disturbanceActions } from './control/disturbances.ts'
import { groupActions } from './control/groups.ts'
import { historyActions } from './control/history.ts'
import { linkingActions } from './control/linking.ts'
import { peopleActions } from './control/people.ts'
import { presenceActions } from './control/presence.ts'
import { serverActions } from './control/server.ts'
import { unknownSenderActions } from './control/strangers.ts'

/**
 * Actions of tests, by `POST /control/<name>` with the arguments as JSON. People are named by the digits of their phone
 * numbers. Actions that wait answer as soon as the awaited event has happened.
 */
export const actions = {
  ...peopleActions,
  ...groupActions,
  ...presenceActions,
  ...linkingActions,
  ...serverActions,
  ...disturbanceActions,
  ...unknownSenderActions,
  ...bombActions,
  ...historyActions,
}

export type Actions = typeof actions
