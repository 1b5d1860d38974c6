import { sql as raw } from 'kysely'
import { newId, randomBase32 } from '../../../runtime/ids.ts'
import type { Compilable } from '../../statement.ts'
import type { Step } from '../step.ts'

/** The tables of the service, and of organizations but for their instances. */
export function organizations(step: Step): Compilable<unknown>[] {
  const fact = (name: string, value: string) => ({
    compile: () => raw`insert into service (name, value) values (${name}, ${value})`.compile(step.sql),
  })
  return [
    step.table('service', { key: ['name'] }),
    fact('store_id', newId('node')),
    fact('epoch', randomBase32(5)),
    step.table('nodes', { key: ['id'] }),
    step.table('duties', { key: ['name'] }),
    step.table('asks', { key: ['id'] }),
    step.index('asks_of_node', 'asks', ['node', 'expires_at']),
    step.index('asks_expiring', 'asks', ['expires_at']),
    step.table('organizations', { key: ['id'], unique: ['name'], later: ['marketing_defaults'] }),
    step.table('api_keys', {
      key: ['id'],
      unique: ['digest'],
      references: { organization_id: 'organizations.id' },
    }),
    step.index('api_keys_of_organization', 'api_keys', ['organization_id', 'id']),
    step.table('audit', { key: ['seq'] }),
    step.index('audit_by_number', 'audit', ['organization_id', 'number'], { isUnique: true }),
    step.table('idempotency', { key: ['organization_id', 'operation', 'key'] }),
    step.index('idempotency_by_age', 'idempotency', ['created_at']),
    ...sessions(step),
    ...statistics(step),
  ]
}

function sessions(step: Step): Compilable<unknown>[] {
  return (['sessions', 'sign_in_codes'] as const).flatMap((name) => [
    step.table(name, { key: ['digest'], inOneTree: true }),
    step.index(`${name}_by_owner`, name, ['owner', 'created_at']),
    step.index(`${name}_expiring`, name, ['expires_at']),
  ])
}

function statistics(step: Step): Compilable<unknown>[] {
  return [
    step.table('statistics', {
      key: ['organization_id', 'span', 'instance_name', 'starts_at'],
      inOneTree: true,
    }),
    step.index('statistics_by_age', 'statistics', ['starts_at']),
    step.table('queue_depths', { key: ['organization_id', 'instance_name'], inOneTree: true }),
  ]
}
