import { handler } from '../../contract/handler.ts'
import { forgetContact as operation } from '../../contract/operations/conversation-operations.ts'
import { Problem } from '../../contract/problem.ts'
import { networksWithPictures } from '../../networks/driver/registry.ts'
import { NodeSilent } from '../../nodes/asks.ts'
import { askedPerson } from '../people/asked-person.ts'
import { beginForgetting } from '../people/begin-forgetting.ts'
import { findPerson } from '../people/contact-list.ts'
import type { MessageOperationsContext } from '../sending/context.ts'

export const forgetContact = ({ store, networks, supervisor, clock }: MessageOperationsContext) =>
  handler(operation, async ({ caller, params, audit, signal, turn }) => {
    const { organizationId } = caller
    const asked = { organizationId, instanceName: params.name, address: params.address }
    const person = await askedPerson({ store, networks }, asked, turn)
    const begun = await store.transact(beginForgetting, { ...person, now: clock.now(), audit: audit() }, turn)
    if (typeof begun === 'string') throw new Problem(begun)
    await supervisor.ask(begun.instance, 'forget-pictures', null, signal).catch((error: unknown) => {
      // Its node hears of it if it goes on, and otherwise its memory is gone.
      if (!(error instanceof NodeSilent)) throw error
    })
    const withPictures = networksWithPictures(networks)
    const found = await store.read(findPerson, { ...person, withPictures }, turn)
    // It may be done already.
    return { status: 202, body: found?.contact ?? { address: person.address, ...done } }
  })

const done = {
  aliases: [],
  name: null,
  username: null,
  marketing: null,
  marketing_changed_at: null,
  last_message_at: null,
  being_forgotten: false,
}
