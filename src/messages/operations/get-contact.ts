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
    const found = await store.read(findPerson, asked, turn)
    if (!found) throw new Problem('instance_not_found')
    const { contact, network } = found
    const isGroup = networks.get(network)?.isGroup?.(address) === true
    // A group is no person, but one can see that what was said in it is being emptied.
    if (!contact || (isGroup && !contact.being_forgotten)) throw new Problem('contact_not_found')
    return { status: 200, body: contact }
  })
