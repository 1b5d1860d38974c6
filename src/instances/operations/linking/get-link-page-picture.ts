import { handler } from '../../../contract/handler.ts'
import { getLinkPagePicture as operation } from '../../../contract/operations/link-page-operations.ts'
import { Problem } from '../../../contract/problem.ts'
import { findLinkPagePicture } from '../../link-pages/link-page-store.ts'
import { readLinkPage } from '../../linking/link-page-view.ts'
import type { InstanceOperationsContext } from '../context.ts'

export const getLinkPagePicture = (context: InstanceOperationsContext) =>
  handler(operation, async ({ caller, turn }) => {
    const { page } = await readLinkPage(context, caller)
    const picture = page.hasPicture ? await context.store.read(findLinkPagePicture, page, turn) : null
    if (!picture) throw new Problem('media_not_found', { detail: 'The page has no picture.' })
    return { status: 200, mediaType: picture.type, bytes: picture.bytes }
  })
