import { groupAbilities, sendingAbilities } from '../../contract/statuses.ts'
import type { Driver, DriverAbilities } from '../driver/driver.ts'
import { templates } from '../kit/template-components.ts'
import { isGroup, parseAddress } from './address.ts'
import { errors, notices, reasons, restrictions } from './codes.ts'
import { SandboxConnection } from './connection.ts'
import { GroupWorld } from './groups/group-world.ts'
import { limits } from './limits.ts'
import { linking } from './linking/linking.ts'
import { callbacks } from './people/callbacks.ts'
import { FarEnd } from './people/far-end.ts'
import { reference } from './reference.ts'
import { check, credentials, sandboxSettings } from './settings.ts'

export interface SandboxOptions {
  /**
   * A file to which every message is appended as a line of JSON before it is accepted. The files of messages are stored
   * in a folder beside it.
   */
  readonly transcript?: string
}

const abilities: DriverAbilities = {
  message_ids: 'ours',
  receipts: ['delivered', 'read'],
  recipients: 'anyone',
  reply_window_seconds: null,
  sends: [...sendingAbilities],
  marks_read: true,
  typing: true,
  pictures: true,
  sent_elsewhere: true,
  connected_means: 'The script of the instance says that it is connected.',
}

/** The network `sandbox`: scripted, deterministic, in memory. Each driver has its own far end. */
export function sandbox(options: SandboxOptions = {}): Driver {
  const farEnd = new FarEnd(options.transcript)
  const world = new GroupWorld()
  return {
    network: 'sandbox',
    title: 'Sandbox',
    isSimulated: true,
    description: reference(),
    settings: sandboxSettings,
    credentials,
    fixedSettings: ['account', 'reply_window_seconds'],
    abilities,
    linking,
    templates,
    addressChecks: { pace: { count: 100, seconds: 60 } },
    groups: {
      abilities: groupAbilities,
      pace: { count: 60, seconds: 60 },
      maxSubject: 100,
      maxDescription: 500,
    },
    callbacks,
    limits,
    reasons,
    errors,
    notices,
    restrictions,
    check,
    parseAddress,
    isGroup,
    accountIn: () => null,
    textFault: () => null,
    connect(context) {
      const connection = new SandboxConnection(context, { farEnd, world })
      connection.begin()
      return connection
    },
  }
}
