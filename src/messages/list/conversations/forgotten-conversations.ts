import { batchOf, batchStatement, statement } from '../../../store/statement.ts'
import type { Transaction } from '../../../store/store.ts'
import { instancesNumbered } from '../../message-instances.ts'
import { conversationKey, hexOf, type MessageOfConversation, organizationKey } from '../conversation-rows.ts'

/*
 * A conversation stays in its list for as long as one of its messages stays. Its row names its last message; when that one is forgotten,
 * the row goes back to the newest that is left: an older one may be kept for longer, and a newer one may be in no block yet.
 */

/** Older messages that are looked through for what stays of conversations: so many that one step stays short. */
const maxLookedThrough = 5_000

const selectLast = batchStatement({ organization: 'bigint', last_seq: 'bigint' })((sql, given) =>
  sql
    .selectFrom('conversations')
    .select(['key', 'last_seq'])
    .where('organization', '=', given('organization'))
    .where('last_seq', '=', given('last_seq')),
)

const selectOlder = statement<{ from: number; below: number; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('messages')
    .select(['seq', 'instance', 'recipient'])
    .where('seq', '>=', argument('from'))
    .where('seq', '<', argument('below'))
    .orderBy('seq', 'desc')
    .limit(argument('limit')),
)

const selectOpen = statement<{ open: number }>()((sql, argument) =>
  sql
    .selectFrom('messages')
    .select(['instance', 'recipient', ({ fn }) => fn.max<number>('seq').as('seq')])
    .where('seq', '>=', argument('open'))
    .groupBy(['instance', 'recipient']),
)

const goBack = batchOf('conversations', ['key', 'last_seq'])((sql, row) =>
  sql.updateTable('conversations').set({ last_seq: row.last_seq }).where('key', '=', row.key),
)

const removeRow = batchOf('conversations', ['key'])((sql, row) =>
  sql.deleteFrom('conversations').where('key', '=', row.key),
)

/** The messages that stay: those from the number `open` on are in no block yet, and none is older than `oldest`. */
interface Staying {
  readonly open: number
  readonly oldest: number
}

/** Takes messages from the list of conversations that were forgotten just now. */
export async function forgetConversations(
  tx: Transaction,
  forgotten: readonly MessageOfConversation[],
  staying: Staying,
): Promise<void> {
  const organizations = new Map<string, number>()
  const digestOf = (organization: string) => {
    const digest = organizations.get(organization) ?? organizationKey(organization)
    organizations.set(organization, digest)
    return digest
  }
  const ended = await tx.allForEach(
    selectLast,
    forgotten.map(({ organization_id, seq }) => ({ organization: digestOf(organization_id), last_seq: seq })),
  )
  if (ended.length === 0) return
  const addresses = new Set(forgotten.map(({ recipient }) => recipient))
  const newest = await newestStaying(tx, ended, { ...staying, addresses })
  const rows = ended.map(({ key }) => ({ key, last_seq: newest.get(hexOf(key)) }))
  tx.sendForEach(
    goBack,
    rows.flatMap(({ key, last_seq }) => (last_seq === undefined ? [] : [{ key, last_seq }])),
  )
  tx.sendForEach(
    removeRow,
    rows.filter(({ last_seq }) => last_seq === undefined),
  )
}

/** The newest messages that stay of the conversations of these rows, with these addresses; by their keys as texts. */
async function newestStaying(
  tx: Transaction,
  ended: readonly { readonly key: Uint8Array; readonly last_seq: number }[],
  { open, oldest, addresses }: Staying & { readonly addresses: ReadonlySet<string> },
): Promise<ReadonlyMap<string, number>> {
  const below = Math.min(open, Math.max(...ended.map(({ last_seq }) => last_seq)))
  const older =
    oldest < below ? await tx.all(selectOlder, { from: oldest, below, limit: maxLookedThrough }) : []
  const all = [...older, ...(await tx.all(selectOpen, { open }))]
  const found = all.filter(({ recipient }) => addresses.has(recipient))
  const instances = await instancesNumbered(
    tx,
    found.map(({ instance }) => instance),
  )
  const wanted = new Set(ended.map(({ key }) => hexOf(key)))
  const newest = new Map<string, number>()
  for (const { seq, instance, recipient } of found) {
    const owner = instances.get(instance)
    if (!owner) continue
    const key = hexOf(conversationKey(owner.organization_id, owner.instance_name, recipient))
    if (wanted.has(key)) newest.set(key, Math.max(seq, newest.get(key) ?? 0))
  }
  return newest
}
