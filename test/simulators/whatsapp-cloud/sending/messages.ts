import { createHash } from 'node:crypto'
import { GraphError, unknownFile } from '../graph-error.ts'
import type { Limits } from '../limits.ts'
import { isWindowOpen } from '../parties.ts'
import type { SendAnswer } from '../schemas/answer.ts'
import type { SchemaFault } from '../schemas/check.ts'
import { faultsOfMessageRequest, mediaOf, type ReadRequest, type SendRequest } from '../schemas/request.ts'
import { type BusinessNumber, newWamid, type Person, type TakenMessage, type World } from '../world.ts'
import { mediaFault } from './media-rules.ts'
import type { Statuses, Verdict } from './statuses.ts'
import { templateFor } from './templates.ts'

/** The answer to a request, and the work that follows it. */
export interface Answer {
  readonly body: unknown
  /** Done as soon as the answer is on its way, or was lost. */
  readonly afterwards?: () => void
}

/** Takes messages, and what else is posted where they are. */
export class Messages {
  readonly #world: World
  readonly #statuses: Statuses
  readonly #limits: Limits

  constructor(world: World, statuses: Statuses, limits: Limits) {
    this.#world = world
    this.#statuses = statuses
    this.#limits = limits
  }

  /** Takes a message, or marks one as read. Throws a GraphError. */
  async post(number: BusinessNumber, body: unknown): Promise<Answer> {
    const [fault] = faultsOfMessageRequest(body)
    if (fault) throw errorFor(fault)
    return isReadRequest(body) ? this.#read(number, body) : await this.#send(number, body as SendRequest)
  }

  /** Marks a message as read, and shows for up to 25 seconds that the business is writing, if it says so. */
  #read(number: BusinessNumber, { message_id, typing_indicator }: ReadRequest): Answer {
    const written = this.#world.written.get(message_id)
    if (written?.number !== number.id) throw new GraphError(131009, 'The message id is not valid.')
    written.read = true
    if (typing_indicator) written.answering = true
    return { body: { success: true } }
  }

  async #send(number: BusinessNumber, request: SendRequest): Promise<Answer> {
    const type = request.type ?? 'text'
    if (request.recipient_type === 'group') return this.#sendToGroup(number, request)
    const recipient = request.to?.replaceAll(/[^0-9]/g, '') ?? request.recipient ?? ''
    if (recipient === number.display_phone_number)
      throw new GraphError(131021, 'Recipient phone number cannot be the sender phone number.')
    const person = this.#world.person(recipient)
    const category = this.#checkTemplate(number, request)
    const file = this.#fileOf(number, request)
    const isOutside =
      type !== 'template' && person?.on_whatsapp === true && !isWindowOpen(this.#world, person, number.id)
    if (isOutside && this.#world.settings.window_refusal === 'answer')
      throw new GraphError(131047, reengagement)
    this.#limits.count(number.id, recipient)

    const message = this.#take(number, request, recipient, person, file)
    const verdict =
      unreachable(person) ??
      (isOutside ? ({ code: 131047, details: reengagement } as const) : undefined) ??
      (file && unusable(type, request, file)) ??
      (category === 'MARKETING' && person?.no_marketing.has(number.id) ? stopped : undefined) ??
      this.#unreactable(request)
    const fault = this.#world.statusFaults.next((one) => (one.number ?? number.id) === number.id)
    const follow = async () => {
      const failed = verdict ?? (await this.#fetchLink(message))
      this.#statuses.follow(message, failed, fault)
    }
    const body = this.#answerTo(message)
    if (fault?.kind !== 'before-answer') return { body, afterwards: () => void follow() }
    await follow()
    await this.#statuses.areTold()
    return { body }
  }

  /** A reaction to a message that is not there any more, or is a reaction itself. Source: Cloud API, Reaction messages. */
  #unreactable({ reaction }: SendRequest): Verdict | undefined {
    if (reaction === undefined) return undefined
    const { takenById, written } = this.#world
    const taken = takenById.get(reaction.message_id)
    if (written.has(reaction.message_id) || (taken && taken.type !== 'reaction')) return undefined
    return { code: 131009, details: 'The message to react to was not found.' }
  }

  /** Everybody in it gets the message. */
  #sendToGroup(number: BusinessNumber, request: SendRequest): Answer {
    const { to: id = '' } = request
    const group = this.#world.groups.get(id)
    if (group?.number !== number.id) throw new GraphError(131041, 'The group was not found.')
    if (group.suspended) throw new GraphError(131207, 'The group violates platform policies.')
    const { members } = group
    if (members.size === 0) throw new GraphError(131020, 'Cannot send messages to single member groups.')
    this.#checkTemplate(number, request)
    this.#limits.count(number.id, id)
    const message = this.#take(number, request, id, undefined, this.#fileOf(number, request))
    const body = this.#answerTo(message)
    return { body, afterwards: () => this.#statuses.followInGroup(message, [...members]) }
  }

  /** Returns the category of the template, if the message is made from one. */
  #checkTemplate(number: BusinessNumber, { template, to }: SendRequest): string | undefined {
    if (!template) return undefined
    const { category } = templateFor(this.#world, number, template)
    if (category === 'AUTHENTICATION' && to === undefined)
      throw new GraphError(131062, 'Authentication templates need a phone number.')
    return category
  }

  /** The uploaded file that a message names. An id of another number is as good as none. */
  #fileOf(number: BusinessNumber, request: SendRequest): KnownFile | undefined {
    const id = mediaOf(request)?.id
    if (id === undefined) return undefined
    const file = this.#world.file(id)
    if (file?.number !== number.id) throw unknownFile(id)
    return { sha256: file.sha256, size: file.bytes.length, mime_type: file.mime_type, bytes: file.bytes }
  }

  #take(
    number: BusinessNumber,
    request: SendRequest,
    recipient: string,
    person: Person | undefined,
    file: KnownFile | undefined,
  ): TakenMessage {
    const message: TakenMessage = {
      sequence: this.#world.taken.length + 1,
      at: this.#world.now(),
      id: newWamid(),
      phone_number_id: number.id,
      recipient,
      person: person?.user_id ?? null,
      type: request.type ?? 'text',
      request,
      biz_opaque_callback_data: request.biz_opaque_callback_data ?? null,
      file: file ? { sha256: file.sha256, size: file.size, mime_type: file.mime_type } : null,
      statuses: [],
    }
    this.#world.taken.push(message)
    this.#world.takenById.set(message.id, message)
    this.#world.changed.emit('changed')
    return message
  }

  #answerTo({ request, recipient, id, type }: TakenMessage): SendAnswer {
    const by = request.to === undefined ? { user_id: recipient } : { wa_id: recipient }
    const status = this.#world.settings.message_status ?? (type === 'template' ? 'accepted' : undefined)
    return {
      messaging_product: 'whatsapp',
      contacts: [{ input: request.to ?? recipient, ...by }],
      messages: [{ id, ...(status && { message_status: status }) }],
    }
  }

  /** Fetches the file of a message that names it by a link, as the network does after its answer. */
  async #fetchLink(message: TakenMessage): Promise<Verdict | undefined> {
    const content = mediaOf(message.request)
    if (content?.link === undefined) return undefined
    try {
      const answer = await fetch(content.link, { signal: AbortSignal.timeout(10_000) })
      if (!answer.ok) return { code: 131052, details: `The link answered ${answer.status}.` }
      const bytes = Buffer.from(await answer.arrayBuffer())
      const mime_type = answer.headers.get('content-type') ?? ''
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      const file = { sha256, size: bytes.length, mime_type, bytes }
      Object.assign(message, { file: { sha256, size: bytes.length, mime_type } })
      return unusable(message.type, message.request, file)
    } catch {
      return { code: 131052, details: 'The link could not be fetched.' }
    }
  }
}

interface KnownFile {
  readonly sha256: string
  readonly size: number
  readonly mime_type: string
  readonly bytes: Buffer
}

const reengagement =
  'Message failed to send because more than 24 hours have passed since the customer last replied to this number.'

const stopped: Verdict = { code: 131050, details: 'The recipient stopped marketing messages.' }

function isReadRequest(body: unknown): body is ReadRequest {
  return typeof body === 'object' && body !== null && 'status' in body
}

function unreachable(person: Person | undefined): Verdict | undefined {
  return person?.on_whatsapp ? undefined : { code: 131026, details: 'Message undeliverable.' }
}

function unusable(type: string, request: SendRequest, file: KnownFile): Verdict | undefined {
  const details = mediaFault(type, file.mime_type, file.bytes, mediaOf(request)?.voice === true)
  return details === undefined ? undefined : { code: 131053, details }
}

/** The error of the network for what a schema has against a request. */
export function errorFor({ keyword, message }: SchemaFault): GraphError {
  if (message.includes('messaging_product')) return new GraphError(100, message)
  if (keyword === 'required') return new GraphError(131008, message)
  if (keyword === 'additionalProperties' || keyword === 'maxLength' || keyword === 'rule')
    return new GraphError(100, message)
  return new GraphError(131009, message)
}
