import { handler } from '../../contract/handler.ts'
import { getMessageMedia as operation } from '../../contract/operations/message-operations.ts'
import { Problem } from '../../contract/problem.ts'
import { findFile } from '../message-file.ts'
import type { MessageOperationsContext } from '../sending/context.ts'

export const getMessageMedia = ({ store, media }: MessageOperationsContext) =>
  handler(operation, async ({ caller, params, turn }) => {
    const { organizationId, instances } = caller
    const found = await store.read(findFile, { organizationId, instances, id: params.id }, turn)
    if (found.kind === 'media_pending') throw new Problem(found.kind, { headers: { 'retry-after': '2' } })
    if (found.kind !== 'kept') throw new Problem(found.kind)
    const { mediaId: id, file } = found
    return { file: { ...file, open: (range) => media.library.open({ id, size: file.size }, turn, range) } }
  })
