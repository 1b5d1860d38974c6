import type { TemplateEventData } from '../../contract/resources/event.ts'
import type { TemplateStatus } from '../../contract/statuses.ts'
import { appendEvents } from '../../events/journal.ts'
import type { RowOf } from '../../store/schema.ts'
import { batchOf, batchStatement, statement } from '../../store/statement.ts'
import {
  isForeign,
  type OfTurn,
  type Reader,
  type StoreFunctions,
  type Transaction,
  transaction,
} from '../../store/store.ts'

/*
 * What networks tell of templates: their categories, so that marketing is known as such, and their last status, so that each change
 * is told once.
 */

/** Templates of one instance that are kept. Of further ones, each report is told, and nothing kept. */
export const maxKnownTemplates = 10_000

/** The name of a template at an instance. */
export interface TemplateAt {
  readonly instance: string
  readonly name: string
  readonly language: string
}

type KnownTemplate = Pick<RowOf<'known_templates'>, 'category' | 'status' | 'network_status' | 'told_at'>

const selectKnown = batchStatement<TemplateAt>({ instance: 'text', name: 'text', language: 'text' })(
  (sql, given) =>
    sql
      .selectFrom('known_templates')
      .select([
        'instance_id as instance',
        'name',
        'language',
        'category',
        'status',
        'network_status',
        'told_at',
      ])
      .where('instance_id', '=', given('instance'))
      .where('name', '=', given('name'))
      .where('language', '=', given('language')),
)

/** Looks for templates; the function that it resolves with finds each. */
export async function templatesAt(
  reader: Reader,
  templates: readonly TemplateAt[],
): Promise<(at: TemplateAt) => KnownTemplate | undefined> {
  const nameOf = ({ instance, name, language }: TemplateAt) => JSON.stringify([instance, name, language])
  const rows = templates.length === 0 ? [] : await reader.allForEach(selectKnown, templates)
  const found = new Map(rows.map((row) => [nameOf(row), row]))
  return (at) => found.get(nameOf(at))
}

const insertKnown = batchOf('known_templates', [
  'instance_id',
  'organization_id',
  'name',
  'language',
  'category',
  'status',
  'network_status',
  'told_at',
])((sql, row) => sql.insertInto('known_templates').values(row))

const changeKnown = batchOf('known_templates', [
  'instance_id',
  'name',
  'language',
  'category',
  'status',
  'network_status',
  'told_at',
])((sql, { instance_id, name, language, ...change }) =>
  sql
    .updateTable('known_templates')
    .set(change)
    .where('instance_id', '=', instance_id)
    .where('name', '=', name)
    .where('language', '=', language),
)

const selectOwner = statement<{ instance: string }>()((sql, argument) =>
  sql
    .selectFrom('instances')
    .select(['organization_id', 'name', 'metadata'])
    .where('id', '=', argument('instance'))
    .where('wanted', '!=', 'removed'),
)

/** Keeps the row of a template, unless the instance has as many as are kept. */
async function keepKnown(
  tx: Transaction,
  { instance, name, language }: TemplateAt,
  { organization, before, after }: { organization: string; before: boolean; after: KnownTemplate },
): Promise<void> {
  const row = { instance_id: instance, name, language, ...after }
  if (before) {
    await tx.runForEach(changeKnown, [row])
    return
  }
  const counted = await tx.all(
    tx.sql
      .selectFrom('known_templates')
      .select('name')
      .where('instance_id', '=', instance)
      .limit(maxKnownTemplates),
  )
  if (counted.length < maxKnownTemplates)
    await tx.runForEach(insertKnown, [{ ...row, organization_id: organization }])
}

/** A template as the network told of it. */
export interface ToldTemplate {
  readonly name: string
  readonly language: string
  /** In lower case; null if it was not told. */
  readonly category: string | null
}

/** Keeps the categories of templates that the network listed. */
export const noteCategories = transaction(
  'marketing.note-categories',
  async (
    tx,
    args: { instanceId: string; templates: readonly ToldTemplate[]; now: number } & OfTurn,
  ): Promise<void> => {
    const { instanceId: instance, templates, now } = args
    const owner = await tx.first(selectOwner, { instance })
    if (!owner || isForeign(args, owner.organization_id)) return
    const places = templates.map(({ name, language }) => ({ instance, name, language }))
    const known = await templatesAt(tx, places)
    for (const { name, language, category } of templates) {
      const at = { instance, name, language }
      const before = known(at)
      const { status = null, network_status = null } = before ?? {}
      const after = { category: category ?? before?.category ?? null, status, network_status, told_at: now }
      await keepKnown(tx, at, { organization: owner.organization_id, before: before !== undefined, after })
    }
  },
  { isToldTurn: true },
)

/** A status of a template that the network told of. */
export interface TemplateNews extends ToldTemplate {
  readonly status: TemplateStatus
  readonly network_status: string | null
  readonly rejected_reason: string | null
}

/** Appends the event of a status of a template, unless it is the one that was told last. */
export const recordTemplate = transaction(
  'marketing.record-template',
  async (tx, args: { instanceId: string; news: TemplateNews; now: number } & OfTurn): Promise<void> => {
    const { instanceId: instance, news, now } = args
    const owner = await tx.first(selectOwner, { instance })
    if (!owner || isForeign(args, owner.organization_id)) return
    const { name, language, category, status, network_status, rejected_reason } = news
    const at = { instance, name, language }
    const before = (await templatesAt(tx, [at]))(at)
    const after = { category: category ?? before?.category ?? null, status, network_status, told_at: now }
    const { organization_id: organization, metadata } = owner
    await keepKnown(tx, at, { organization, before: before !== undefined, after })
    if (before?.status === status && before.network_status === network_status) return
    const data: TemplateEventData = {
      instance: { id: instance, name: owner.name, metadata: JSON.parse(metadata) },
      template: { name, language, status, network_status, rejected_reason },
    }
    const events = [{ type: 'template.status_changed', instance: owner.name, data }] as const
    await appendEvents(tx, [{ organization, now, events }])
  },
  { isToldTurn: true },
)

export const knownTemplateFunctions: StoreFunctions = {
  reads: [],
  transactions: [noteCategories, recordTemplate],
}
