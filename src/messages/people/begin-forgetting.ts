import type { AuditNote } from '../../contract/resources/audit.ts'
import { keepAudit } from '../../organizations/audit-log.ts'
import { type StoreFunctions, transaction } from '../../store/store.ts'
import { aliasesOf, findContact, insertPerson } from '../contacts/contact-store.ts'
import { conversationKey } from '../list/conversation-rows.ts'
import { markConversationRead } from '../list/conversations/unread.ts'
import { firstOfBlock, firstOpenBlock } from '../list/message-index.ts'
import type { FoundPerson } from './asked-person.ts'
import { instanceNamed } from './contact-list.ts'

export interface BeginForgetting extends FoundPerson {
  readonly now: number
  readonly audit: AuditNote | undefined
}

/**
 * Takes the names of a person, and notes which messages are to be emptied; `forgetPerson` does it in parts. Returns the id of the
 * instance, or says that there is no such instance or person. `askedPerson` has told that the address is not that of a group.
 */
export const beginForgetting = transaction(
  'contacts.begin-forgetting',
  async (tx, { address, instance, now, audit, ...asked }: BeginForgetting) => {
    const place = await instanceNamed(tx, asked)
    // Another instance may have its name by now, of a network that spells addresses in another way.
    if (place?.id !== instance) return 'instance_not_found'
    const { organization, name } = place
    const isKnown = (await findContact(tx, { instance, address })) !== undefined
    if (!isKnown) {
      const kept = tx.sql
        .selectFrom('conversations')
        .select('last_seq')
        .where('key', '=', conversationKey(organization, name, address))
      const open = tx.sql
        .selectFrom('messages')
        .select('seq')
        .where('seq', '>=', firstOfBlock(await firstOpenBlock(tx)))
        .where('instance', '=', place.number)
        .where('recipient', '=', address)
        .limit(1)
      if (!(await tx.first(kept)) && !(await tx.first(open))) return 'contact_not_found'
      await insertPerson(tx, { instance, organization, address, now })
    }
    await markConversationRead.run(tx, { instanceId: instance, conversation: address, upTo: null })
    const newest = await tx.first(tx.sql.selectFrom('messages').select('seq').orderBy('seq', 'desc').limit(1))
    await tx.run(
      tx.sql
        .updateTable('contact_addresses')
        .set({ name: null, username: null, forget_below: (newest?.seq ?? 0) + 1 })
        .where('instance_id', '=', instance)
        .where('address', 'in', await aliasesOf(tx, { instance, address })),
    )
    await keepAudit(tx, audit, { instance: name })
    return { instance }
  },
  { touches: ({ organizationId }) => [organizationId] },
)

export const beginForgettingFunctions: StoreFunctions = { reads: [], transactions: [beginForgetting] }
