import { handler } from '../../../contract/handler.ts'
import { createLinkPage as operation } from '../../../contract/operations/link-page-operations.ts'
import { Problem } from '../../../contract/problem.ts'
import { timestamp } from '../../../runtime/clock.ts'
import { newId } from '../../../runtime/ids.ts'
import { digestOf, newToken } from '../../../runtime/secrets/token.ts'
import { createLinkPage as create } from '../../link-pages/link-page-store.ts'
import { readPagePicture } from '../../link-pages/page-picture.ts'
import { refuseUnlinkable } from '../../linking/link-way.ts'
import { type InstanceOperationsContext, readInstance } from '../context.ts'

const usualSeconds = 24 * 60 * 60

export const createLinkPage = (context: InstanceOperationsContext) =>
  handler(operation, async ({ caller, params, body, audit, turn }) => {
    const { store, clock, baseUrl } = context
    const { organizationId, keyId } = caller
    const { row } = await readInstance(context, organizationId, params.name)
    await refuseUnlinkable(context, row)
    if (baseUrl === '') throw new Problem('base_url_missing')
    const picture = readPagePicture(body)
    const token = newToken('phl')
    const now = clock.now()
    const page = {
      id: newId('lnk'),
      digest: digestOf(token),
      organization_id: organizationId,
      instance_id: row.id,
      key_id: keyId,
      created_at: now,
      expires_at: now + (body.expires_in_seconds ?? usualSeconds) * 1000,
      title: body.title ?? null,
      language: body.language ?? null,
      picture_type: picture?.type ?? null,
      picture: picture?.bytes ?? null,
    }
    const made = await store.transact(create, { page, audit: audit() }, turn)
    if (made === 'not_found') throw new Problem('instance_not_found')
    if (made === 'deleting') throw new Problem('instance_deleting')
    // The part after the `#` reaches no server, proxy or log.
    const url = `${baseUrl}/link#${token}`
    return { status: 201, body: { id: page.id, url, expires_at: timestamp(page.expires_at) } }
  })
