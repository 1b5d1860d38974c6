import type { Driver, DriverAbilities } from '../driver/driver.ts'
import { isGroup, parseAddress } from './address.ts'
import { errors, notices, reasons, restrictions } from './codes.ts'
import { WhatsAppConnection } from './connection.ts'
import { textFault } from './content/text.ts'
import { addressChecks, groupFeatures, limits } from './limits.ts'
import { ImageMemory } from './media/image-memory.ts'
import type { ClientSettings } from './processes/worker-protocol.ts'
import { Workers } from './processes/workers.ts'
import { description } from './reference.ts'
import { check, credentialsSchema, isLinked, settingsSchema } from './settings.ts'

export interface WhatsAppOptions extends ClientSettings {
  /** Largest number of processes that hold linked clients. */
  readonly workers: number
  /** Milliseconds between two signs of life of each of them. */
  readonly beat?: number
  /** Memory that each of them may have, in bytes. */
  readonly memory?: number
}

/** A login takes the processor for ten milliseconds, several times as long as elsewhere. */
const connectWeight = 3

const abilities: DriverAbilities = {
  message_ids: 'ours',
  receipts: ['delivered', 'read'],
  recipients: 'anyone',
  reply_window_seconds: null,
  sends: ['reply', 'reaction', 'edit', 'retract', 'mention', 'location', 'contacts', 'poll'],
  marks_read: true,
  sent_elsewhere: true,
  typing: true,
  pictures: true,
  connected_means:
    'The device is logged in to WhatsApp, which answered on this connection; a silent connection is probed with a ping.',
}

/** The WhatsApp network: accounts of people, linked as WhatsApp Web is. */
export function whatsapp({ workers: most, beat, memory, ...client }: WhatsAppOptions): Driver {
  const workers = new Workers(most, { beat, memory })
  const images = new ImageMemory()
  return {
    network: 'whatsapp',
    title: 'WhatsApp',
    description,
    settings: settingsSchema,
    credentials: credentialsSchema,
    fixedSettings: [],
    abilities,
    limits,
    connectWeight,
    reasons,
    errors,
    notices,
    restrictions,
    counts: [workers.dropped, workers.ends],
    workers: () => workers.counts(),
    check,
    parseAddress,
    isGroup,
    addressChecks,
    groups: groupFeatures,
    // It is known only when a phone has linked it.
    accountIn: () => null,
    textFault,
    linking: { kinds: ['qr', 'code'], isLinked },
    removal: { isNeeded: (settings, credentials) => isLinked(settings, credentials.read()) },
    connect: (context) => new WhatsAppConnection(context, { workers, client, images }),
    prepare: (log) => workers.prepare(log),
  }
}
