import type { Transaction } from '../../store/store.ts'

/** Forgets what people told an instance about marketing, and its templates, at most `limit` rows at a time; returns how many it forgot. */
export async function forgetMarketing(tx: Transaction, instance: string, limit: number): Promise<number> {
  const { sql } = tx
  const choices = sql
    .deleteFrom('marketing_choices')
    .where('instance_id', '=', instance)
    .where('digest', 'in', (eb) =>
      eb.selectFrom('marketing_choices').select('digest').where('instance_id', '=', instance).limit(limit),
    )
    .returning('digest')
  const forgotten = (await tx.all(choices)).length
  if (forgotten >= limit) return forgotten
  // There are few of them.
  const templates = sql.deleteFrom('known_templates').where('instance_id', '=', instance).returning('name')
  return forgotten + (await tx.all(templates)).length
}
