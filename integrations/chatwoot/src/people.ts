import { isProblem, type Message, type Posthorn } from '../../../clients/javascript/src/index.ts'
import type { Chatwoot } from './chatwoot.ts'
import type { Files } from './files.ts'
import type { Log } from './log.ts'

/** A message waits no longer than this, in milliseconds, for the picture of the person who it is from. */
const pictureTimeoutMs = 10_000

/** Returns the name of the person, or of the group, that a message belongs to; undefined if Posthorn knows none. */
export async function nameOf(posthorn: Posthorn, message: Message): Promise<string | undefined> {
  const { instance, conversation, aliases, sender } = message
  if (sender?.name && [conversation, ...aliases].includes(sender.address)) return sender.name
  try {
    const { name } = await posthorn.contacts.get(instance, conversation)
    return name ?? undefined
  } catch (error) {
    if (isProblem(error, 'contact_not_found')) return undefined
    throw error
  }
}

interface PictureParts {
  readonly posthorn: Posthorn
  readonly chatwoot: Chatwoot
  readonly files: Files
  readonly log: Log
}

/** Shows the picture of a new contact in Chatwoot. One that cannot be had or shown holds up no message. */
export async function showPicture(
  { posthorn, chatwoot, files, log }: PictureParts,
  contact: number,
  { id, instance, conversation }: Message,
): Promise<void> {
  try {
    // It ends the body of the response and the upload, too: a time limit of the call would not.
    const signal = AbortSignal.timeout(pictureTimeoutMs)
    const response = await posthorn.contacts.getPicture(instance, conversation, { maxRetries: 0, signal })
    const type = response.headers.get('content-type') ?? 'image/jpeg'
    await files.keep(response, async (file) =>
      chatwoot.setAvatar(contact, new Blob([await file.blob()], { type }), signal),
    )
  } catch (error) {
    if (isProblem(error)) return
    log(`Chatwoot does not show the picture of the contact that wrote message ${id}.`)
  }
}
