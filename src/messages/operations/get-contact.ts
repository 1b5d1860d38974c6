import { handler } from '../../contract/handler.ts'
import { getContact as operation } from '../../contract/operations/conversation-operations.ts'
import { Problem } from '../../contract/problem.ts'
import { networksWithPictures } from '../../networks/driver/registry.ts'
import { askedPerson } from '../people/asked-person.ts'
import { findPerson } from '../people/contact-list.ts'
import type { MessageOperationsContext } from '../sending/context.ts'

export const getContact = ({ store, networks }: MessageOperationsContext) =>
  handler(operation, async ({ caller, params, turn }) => {
    const { organizationId } = caller
    const { name: instanceName, address } = params
    const person = await askedPerson({ store, networks }, { organizationId, instanceName, address }, turn)
    const withPictures = networksWithPictures(networks)
    const found = await store.read(findPerson, { ...person, withPictures }, turn)
    if (!found) throw new Problem('instance_not_found')
    if (!found.contact) throw new Problem('contact_not_found')
    return { status: 200, body: found.contact }
  })
