import { Readable } from 'node:stream'
import { handler, type ServedFile } from '../../contract/handler.ts'
import { getContactPicture as operation } from '../../contract/operations/conversation-operations.ts'
import { lackingAbility, Problem } from '../../contract/problem.ts'
import { problems } from '../../contract/problems.ts'
import { QueueFull } from '../../runtime/limits/fair-semaphore.ts'
import type { CrossingPicture, FoundPicture } from '../pictures/picture-cache.ts'
import { unanswered } from '../template-questions.ts'
import { type InstanceOperationsContext, readInstance } from './context.ts'

/** Pictures that this node asks for at once, for itself or of other nodes: each may be a megabyte on its way. */
export const pictureLimits = { limit: 32, limitPerParty: 8, queuePerParty: 200 }

/** The same address may name a person of another organization, to whose session a browser may have changed. */
const headers = { 'cache-control': 'private, max-age=3600', vary: 'authorization, cookie' }

export const getContactPicture = (context: InstanceOperationsContext) => {
  const { networks, supervisor, pictureTurns } = context
  return handler(operation, async ({ caller, params, signal }) => {
    const { row } = await readInstance(context, caller.organizationId, params.name)
    const driver = networks.get(row.network)
    if (!driver?.abilities.pictures) throw lackingAbility('pictures')
    if (row.wanted === 'removed') throw new Problem('instance_deleting')
    const parsed = driver.parseAddress(params.address)
    if (!parsed.ok) throw new Problem('picture_not_found', { detail: parsed.detail })
    const ask = () => supervisor.ask(row.id, 'find-picture', parsed.address, signal)
    const answer = await pictureTurns.run(caller.organizationId, ask, signal).catch((error: unknown) => {
      throw error instanceof QueueFull ? tooMany(1) : error
    })
    const found = answer ?? unanswered
    switch (found.kind) {
      case 'found':
        return { file: fileOf(found), headers }
      case 'none':
        throw new Problem('picture_not_found')
      case 'paced':
        throw tooMany(found.seconds)
      case 'rejected':
        throw new Problem('network_refused', { detail: found.error.detail })
      case 'unanswered': {
        const detail = `${found.detail} ${problems.instance_not_connected.explanation}`
        throw new Problem('instance_not_connected', { detail })
      }
    }
  })
}

function tooMany(seconds: number): Problem {
  return new Problem('too_many_pictures', { headers: { 'retry-after': String(seconds) } })
}

function fileOf({ bytes: given, mimeType, sha256 }: FoundPicture | CrossingPicture): ServedFile {
  const bytes = typeof given === 'string' ? Buffer.from(given, 'base64') : given
  return {
    filename: `picture.${mimeType.slice('image/'.length)}`,
    mimeType,
    size: bytes.length,
    sha256,
    open: (range) => Readable.from([range ? bytes.subarray(range.first, range.last + 1) : bytes]),
  }
}
