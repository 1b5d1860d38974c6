import { createHash, randomBytes, randomInt } from 'node:crypto'
import { EventEmitter } from 'node:events'
import {
  type FileFault,
  type GroupFault,
  HttpFaults,
  type PostFault,
  Queue,
  type StatusFault,
} from './faults.ts'
import type { SendRequest } from './schemas/request.ts'
import type { TemplateFields } from './schemas/template.ts'
import type { StatusName } from './schemas/webhook.ts'

export interface BusinessNumber {
  readonly id: string
  readonly waba: string
  readonly display_phone_number: string
  readonly verified_name: string
  /** Green by default. */
  quality_rating?: 'GREEN' | 'YELLOW' | 'RED'
  /** URL of this number's own webhooks, before those of its WABA and of the app. */
  override?: string | undefined
}

/** A token: which accounts it is for, and what became of it. */
export interface Token {
  readonly wabas: readonly string[]
  state: 'valid' | 'revoked' | 'expired' | 'without-permission'
  /** Of the app for which it was made, if that is not the app that is called back. */
  readonly app_secret?: string | undefined
}

export interface Person {
  readonly name: string
  /** Digits; undefined if the network does not know the phone at all. */
  phone: string | undefined
  user_id: string
  /** For all accounts that the business has linked, if it has. */
  parent_user_id?: string | undefined
  /** With one, the phone is left out of webhooks. */
  username: string | undefined
  blocked: boolean
  /** False for a phone that is not on WhatsApp. */
  on_whatsapp: boolean
  /** Per number of the business, in milliseconds since the epoch. */
  readonly last_wrote: Map<string, number>
  /** Numbers of the business whose marketing the person stopped. */
  readonly no_marketing: Set<string>
  /** Status that messages to this person reach by themselves; the setting if undefined. */
  receives: Receives | undefined
}

/** Status that messages reach by themselves. */
export type Receives = 'nothing' | 'sent' | 'delivered' | 'read'

/** A group that a number of the business has made. */
export interface Group {
  readonly id: string
  /** The number that made it. */
  readonly number: string
  subject: string
  description: string | undefined
  /** `auto_approve` or `approval_required`. */
  readonly join_approval_mode: string
  readonly created_at: number
  /** Those who ask to join, by the ids of their requests. */
  readonly requests: Map<string, { readonly person: Person; readonly at: number }>
  /** Without the business. */
  readonly members: Set<Person>
  /** People whom the business removed: no link lets them in again. */
  readonly removed: Set<Person>
  link: string
  suspended: boolean
}

export interface StoredFile {
  readonly id: string
  readonly number: string
  readonly bytes: Buffer
  readonly mime_type: string
  readonly sha256: string
  /** Uploads live 30 days, files that people sent 7; in milliseconds since the epoch. */
  readonly expires_at: number
}

/** A template of an account. */
export type TemplateRecord = Readonly<TemplateFields> & { readonly waba: string }

/** The file of a message, as the network has it. */
export interface TakenFile {
  readonly sha256: string
  readonly size: number
  readonly mime_type: string
}

/** A message of the business that the network took. */
export interface TakenMessage {
  readonly sequence: number
  readonly at: number
  readonly id: string
  readonly phone_number_id: string
  /** The recipient as the request named them: the phone as digits, or the user id. */
  readonly recipient: string
  /** The person's user id; null if the network has no such person, or it is a group. */
  readonly person: string | null
  readonly type: string
  readonly request: SendRequest
  readonly biz_opaque_callback_data: string | null
  readonly file: TakenFile | null
  /** Statuses that the network gave it, whether or not they were called back. */
  readonly statuses: { readonly status: StatusName; readonly at: number; readonly error: string | null }[]
}

export interface Settings {
  /** Outside the window of 24 hours: refused by a failed status, or in the answer. */
  window_refusal: 'status' | 'answer'
  receives: Receives
  /** A person may get a burst of messages, and one more each so many milliseconds. */
  pair: { readonly burst: number; readonly every_ms: number }
  /** Messages of a number in a second. */
  throughput: number
  /** True if webhooks have the URL of a file beside its id. */
  media_urls: boolean
  /** Status that the answer to a send has beside the id; by default `accepted` for templates. */
  message_status: 'accepted' | 'held_for_quality_assessment' | 'paused' | undefined
  /** The backoff of webhooks is divided by this. */
  retry_factor: number
  webhook_timeout_ms: number
  /** True if apps want every request proven with their secret. */
  require_proof: boolean
  /** While true, webhooks wait for a flush, which posts them together. */
  hold_webhooks: boolean
  /** Groups are for Official Business Accounts, and not while one sends too much marketing. */
  groups: 'allowed' | 'not-eligible' | 'paused'
  /** Groups of a number. */
  most_groups: number
}

/** Everything that the network knows. */
export class World {
  readonly changed = new EventEmitter().setMaxListeners(0)
  readonly app: { readonly id: string; secret: string; callback: string | undefined }
  readonly numbers = new Map<string, BusinessNumber>()
  readonly tokens = new Map<string, Token>()
  /** Per WABA that has the app subscribed: its override, if there is one. */
  readonly subscriptions = new Map<string, string | undefined>()
  readonly people = new Set<Person>()
  /** By id. */
  readonly groups = new Map<string, Group>()
  readonly files = new Map<string, StoredFile>()
  readonly templates: TemplateRecord[] = []
  readonly taken: TakenMessage[] = []
  /** By id, so that finding one does not take longer with each that is taken. */
  readonly takenById = new Map<string, TakenMessage>()
  /** Messages of people, by id, each with its writer and its number. */
  readonly written = new Map<
    string,
    { readonly person: Person; readonly number: string; read: boolean; answering?: boolean }
  >()
  readonly refused: { readonly at: number; readonly operation: string; readonly error: unknown }[] = []
  readonly httpFaults = new HttpFaults()
  readonly statusFaults = new Queue<StatusFault>()
  readonly postFaults = new Queue<PostFault>()
  readonly fileFaults = new Queue<FileFault>()
  readonly groupFaults = new Queue<GroupFault>()
  readonly settings: Settings = {
    window_refusal: 'status',
    receives: 'delivered',
    pair: { burst: 45, every_ms: 6000 },
    throughput: 80,
    media_urls: true,
    message_status: undefined,
    retry_factor: 50,
    webhook_timeout_ms: 10_000,
    require_proof: false,
    hold_webhooks: false,
    groups: 'allowed',
    most_groups: 10_000,
  }
  #advanced = 0

  constructor(appSecret: string) {
    this.app = { id: newGraphId(), secret: appSecret, callback: undefined }
  }

  /** The network's time, in milliseconds since the epoch. */
  now(): number {
    return Date.now() + this.#advanced
  }

  advance(milliseconds: number): void {
    this.#advanced += milliseconds
  }

  /** By phone, whether or not it begins with a plus, or by user id. */
  person(address: string): Person | undefined {
    const digits = address.replace(/^\+/, '')
    for (const person of this.people) if (person.user_id === address || person.phone === digits) return person
    return undefined
  }

  keepFile(number: string, bytes: Buffer, mimeType: string, days: number): StoredFile {
    const file = {
      id: newGraphId(),
      number,
      bytes,
      mime_type: mimeType,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      expires_at: this.now() + days * day,
    }
    this.files.set(file.id, file)
    return file
  }

  /** The file, unless its time is over. */
  file(id: string): StoredFile | undefined {
    const file = this.files.get(id)
    return file && file.expires_at > this.now() ? file : undefined
  }
}

export const day = 86_400_000

export function newGraphId(): string {
  return `${randomInt(1, 10)}${Array.from({ length: 14 }, () => randomInt(10)).join('')}`
}

export function newWamid(): string {
  return `wamid.${randomBytes(30).toString('base64')}`
}
