import { handler } from '../../contract/handler.ts'
import { getContact as operation } from '../../contract/operations/conversation-operations.ts'
import { Problem } from '../../contract/problem.ts'
import { networksWithPictures } from '../../networks/driver/registry.ts'
import { findPerson } from '../people/contact-list.ts'
import type { MessageOperationsContext } from '../sending/context.ts'

export const getContact = ({ store, networks }: MessageOperationsContext) =>
  handler(operation, async ({ caller, params, turn }) => {
    const { name: instanceName, address } = params
    const { organizationId } = caller
    const asked = { organizationId, instanceName, address, withPictures: networksWithPictures(networks) }
    const contact = await store.read(findPerson, asked, turn)
    if (contact === undefined) throw new Problem('instance_not_found')
    if (contact === null) throw new Problem('contact_not_found')
    return { status: 200, body: contact }
  })
