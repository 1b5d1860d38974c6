import type { Driver, DriverAbilities } from '../driver/driver.ts'
import { templates } from '../kit/template-components.ts'
import { parseAddress } from './address.ts'
import { callbacks } from './callbacks.ts'
import { errors, notices, reasons, restrictions } from './codes.ts'
import { SandboxConnection } from './connection.ts'
import { FarEnd } from './far-end.ts'
import { linking } from './linking/linking.ts'
import { reference } from './reference.ts'
import { check, credentials, sandboxSettings } from './settings.ts'

export interface SandboxOptions {
  /**
   * A file to which every message is appended as a line of JSON before it is accepted. The files of messages are stored
   * in a folder beside it.
   */
  readonly transcript?: string
}

const megabyte = 1024 * 1024

const abilities: DriverAbilities = {
  message_ids: 'ours',
  receipts: ['delivered', 'read'],
  recipients: 'anyone',
  reply_window_seconds: null,
  marks_read: true,
  sent_elsewhere: true,
  connected_means: 'The script of the instance says that it is connected.',
}

/** The network `sandbox`: scripted, deterministic, in memory. Each driver has its own far end. */
export function sandbox(options: SandboxOptions = {}): Driver {
  const farEnd = new FarEnd(options.transcript)
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
    callbacks,
    limits: {
      text_characters: 4096,
      media_bytes: { document: 100 * megabyte, audio: 16 * megabyte, image: 16 * megabyte },
      caption_characters: 1024,
      dedupes_by_id: true,
      in_flight: 64,
      in_flight_per_recipient: 1,
      answer_timeout_seconds: 30,
      pacing: null,
      pause: null,
      warm_up: [{ until_hours: 24, factor: 2 }],
      pacing_per_recipient: null,
      probe_after_seconds: 60,
      probe_timeout_seconds: 10,
    },
    reasons,
    errors,
    notices,
    restrictions,
    check,
    parseAddress,
    accountIn: () => null,
    textFault: () => null,
    connect(context) {
      const connection = new SandboxConnection(context, farEnd)
      connection.begin()
      return connection
    },
  }
}
