import type { Compilable } from '../../statement.ts'
import { isSet, type Step } from '../step.ts'

/** The tables of instances, and of what is stored for one: callbacks, contacts, keys and link pages. */
export function instances(step: Step): Compilable<unknown>[] {
  return [
    step.table('instance_labels', { key: ['id'] }),
    step.index('instance_labels_retired', 'instance_labels', ['retired_at'], { where: isSet('retired_at') }),
    step.table('instances', {
      key: ['id'],
      references: { organization_id: 'organizations.id', labels_id: 'instance_labels.id' },
      later: ['marketing_choices', 'marketing_words'],
    }),
    step.index('instances_by_name', 'instances', ['organization_id', 'name'], { isUnique: true }),
    step.index('instances_by_owner', 'instances', ['owner', 'id']),
    // No two instances of an organization use one account.
    step.index('instances_by_account', 'instances', ['organization_id', 'network', 'account_key'], {
      isUnique: true,
    }),
    // No two instances of the server get what is posted about one account.
    step.index('instances_by_claimed_account', 'instances', ['network', 'claimed_account'], {
      isUnique: true,
      where: isSet('claimed_account'),
    }),
    step.index('instances_by_claimed_group', 'instances', ['network', 'claimed_group'], {
      where: isSet('claimed_group'),
    }),
    ...callbacks(step),
    ...contacts(step),
    ...keys(step),
    ...linkPages(step),
  ]
}

function callbacks(step: Step): Compilable<unknown>[] {
  return [
    step.table('callbacks', { key: ['seq'] }),
    step.index('callbacks_in_order', 'callbacks', ['instance_id', 'seq']),
    step.table('kept_parts', { key: ['seq'] }),
    step.index('kept_parts_by_digest', 'kept_parts', ['instance_id', 'digest'], { isUnique: true }),
    step.index('kept_parts_by_age', 'kept_parts', ['kept_at']),
  ]
}

function contacts(step: Step): Compilable<unknown>[] {
  return [
    step.table('contact_addresses', {
      key: ['instance_id', 'address'],
      inOneTree: true,
      later: ['name', 'username', 'forget_below'],
    }),
    step.index('addresses_of_contact', 'contact_addresses', ['instance_id', 'contact']),
    // Lists ask for a conversation, whichever instance it is with.
    step.index('contacts_of_organization', 'contact_addresses', ['organization_id', 'address']),
  ]
}

/**
 * The keys of instances. Their rows do not stand in the tree of the primary key, as those of other tables do: a value of one to three KB
 * would need pages of its own there, and the table would be two thirds larger and be read half as fast.
 */
function keys(step: Step): Compilable<unknown>[] {
  const where = isSet('expires_at')
  return [
    step.table('network_keys', { key: ['instance_id', 'type', 'id'] }),
    step.index('network_keys_expiring', 'network_keys', ['expires_at'], { where }),
    step.index('network_keys_expiring_of_instance', 'network_keys', ['instance_id', 'expires_at'], { where }),
  ]
}

function linkPages(step: Step): Compilable<unknown>[] {
  return [
    step.table('link_pages', { key: ['id'], unique: ['digest'] }),
    step.index('link_pages_of_instance', 'link_pages', ['instance_id', 'created_at']),
    step.index('link_pages_with_picture', 'link_pages', ['organization_id', 'created_at', 'id'], {
      where: isSet('picture_type'),
    }),
    step.index('link_pages_expiring', 'link_pages', ['expires_at']),
  ]
}
