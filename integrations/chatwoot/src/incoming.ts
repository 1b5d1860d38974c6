import { isProblem, type Message, type Posthorn } from '../../../clients/javascript/src/index.ts'
import type { Chatwoot, NewMessage } from './chatwoot.ts'
import { ChatwootError } from './chatwoot-request.ts'
import { cleanName, contentOf, isUnreadable, phoneNumberIn, placeholderOf, sourceIdOf } from './content.ts'
import { FileRefused, type Files } from './files.ts'
import { type LaneWork, NotYet } from './lane-work.ts'
import type { Log } from './log.ts'
import { nameOf, showPicture } from './people.ts'
import type { IncomingJob, State } from './state.ts'

export interface IncomingParts {
  readonly state: State
  readonly posthorn: Posthorn
  readonly chatwoot: Chatwoot
  readonly files: Files
  readonly log: Log
  /** The identifier under which Chatwoot takes contacts for the inbox. */
  readonly inboxIdentifier: string
  readonly settleMs: number
}

/** Chatwoot takes 200 messages of a conversation in a minute, and refuses more (`CONVERSATION_MESSAGE_PER_MINUTE_LIMIT`). */
const floodPauseMs = 5_000
/** Failures in a row after which less of a message is shown, if others were shown within this time. */
const maxFailures = 12
const recentMs = 60_000

/**
 * Returns the work that shows the messages of an address in Chatwoot, one after the other. Chatwoot does not recognize repetitions,
 * so an attempt is noted on disk before it begins; after one with an unknown outcome, the message is looked for first.
 */
export function incomingWork(parts: IncomingParts): LaneWork {
  const { state, posthorn, log } = parts
  let shownAt = 0
  return async ({ key, failures }) => {
    const next = state.nextIncoming(key)
    // Chatwoot shows those of others: it is this one that makes it fail.
    const isAtFault = next?.tried_at && failures >= maxFailures && Date.now() - shownAt < recentMs
    if (next && isAtFault) state.reduce(next)
    const job = state.nextIncoming(key)
    if (!job) return
    const message = await messageOf(posthorn, job.message_id)
    if (!message) log(`Posthorn no longer has message ${job.message_id}: Chatwoot does not show it.`)
    // Its content has arrived meanwhile, and is announced by an event of its own.
    const isSuperseded = message && isUnreadable(job.source_id) && !message.unsupported
    if (message && !isSuperseded) await show(parts, job, message)
    shownAt = Date.now()
    state.removeIncoming(job)
  }
}

async function messageOf(posthorn: Posthorn, id: string): Promise<Message | undefined> {
  try {
    return await posthorn.messages.get(id)
  } catch (error) {
    if (isProblem(error, 'message_not_found')) return undefined
    throw error
  }
}

async function show(parts: IncomingParts, job: IncomingJob, message: Message): Promise<void> {
  const { state, chatwoot } = parts
  try {
    const conversation = await conversationOf(parts, job, message)
    if (job.tried_at !== null) {
      if (await chatwoot.hasMessage(conversation, job.source_id, Math.floor(job.tried_at / 1_000))) return
      state.clearTried(job)
    }
    await withContent(parts, job, message, (content) =>
      attempt(state, job, () => chatwoot.createMessage(conversation, content)),
    )
  } catch (error) {
    if (error instanceof ChatwootError) learnFrom(parts, job, error)
    throw error
  }
}

/** Tries something that must not be done twice, and notes on disk that it may have been done, until it certainly was not. */
async function attempt<R>(state: State, job: IncomingJob, call: () => Promise<R>): Promise<R> {
  state.setTried(job)
  try {
    return await call()
  } catch (error) {
    if (error instanceof ChatwootError && !error.isUncertain) state.clearTried(job)
    throw error
  }
}

/** Notes what a failed attempt says about the next one. */
function learnFrom({ state, settleMs, log }: IncomingParts, job: IncomingJob, error: ChatwootError): void {
  if (error.isUncertain) throw new NotYet(Date.now() + settleMs, error)
  if (error.status === 404) state.forgetPlace(job.address)
  if (error.status === 422 && /too many/i.test(error.said)) throw new NotYet(Date.now() + floodPauseMs, error)
  if (error.status === 400 || error.status === 413 || error.status === 415 || error.status === 422) {
    log(`${error.message} (message ${job.message_id}). Less of it is shown.`)
    state.reduce(job)
  }
}

/** Passes to `use` what Chatwoot is to show: with the file if there is one that can be shown, otherwise with words about it. */
async function withContent(
  { posthorn, files }: IncomingParts,
  { source_id, reduced }: IncomingJob,
  message: Message,
  use: (content: NewMessage) => Promise<void>,
): Promise<void> {
  const base = {
    sourceId: source_id,
    isIncoming: message.direction === 'inbound',
    inReplyTo: message.relation?.message_id ? sourceIdOf(message.relation.message_id, false) : undefined,
  }
  const hint = `(a message that Chatwoot does not take: Posthorn knows it as ${message.id})`
  if (reduced > 1) return await use({ ...base, content: hint })
  if (!message.media) return await use({ ...base, content: contentOf(message, false) })
  const without = (why: string) => use({ ...base, content: placeholderOf(message, why) })
  if (reduced > 0) return await without('Chatwoot does not take it.')
  if (message.error) return await without(message.error.detail)
  if (files.isTooLarge(message.media.size)) return await without(files.tooLarge)
  const name = cleanName(message.media.filename ?? message.kind)
  try {
    const response = await posthorn.messages.getMedia(message.id)
    const type = message.media.mime_type ?? 'application/octet-stream'
    await files.keep(response, async (file) => {
      const blob = new Blob([await file.blob()], { type })
      await use({ ...base, content: contentOf(message, true), file: { blob, name } })
    })
  } catch (error) {
    if (isProblem(error, 'media_not_found')) return await without('It is no longer kept.')
    if (error instanceof FileRefused) return await without(error.message)
    throw error
  }
}

/** Returns the conversation in Chatwoot of the person or group that a message is from, which is created if there is none. */
async function conversationOf(parts: IncomingParts, job: IncomingJob, message: Message): Promise<number> {
  const { state, chatwoot, inboxIdentifier } = parts
  const { conversation: address, aliases } = message
  const known = [address, ...aliases].map((one) => state.conversationOf(one)).find((id) => id !== undefined)
  if (known !== undefined) return known
  const phone = [address, ...aliases].map(phoneNumberIn).find((number) => number !== undefined)
  const contact = await chatwoot.contact(inboxIdentifier, {
    source_id: address,
    name: cleanName((await nameOf(parts.posthorn, message)) ?? phone ?? address),
    // Without the number if Chatwoot refused the contact with it.
    ...(phone !== undefined && job.reduced === 0 && { phone_number: phone }),
  })
  // An earlier attempt may have created it.
  const conversation =
    (await chatwoot.newestConversation(contact)) ??
    (await attempt(state, job, () => chatwoot.createConversation(contact, address)))
  state.setPlace({ address, conversation_id: conversation })
  await showPicture(parts, contact, message)
  return conversation
}
