import type { Migration } from '../../../src/store/migrations/migration.ts'

const steps: readonly Migration[] = [
  {
    name: '0002-planted-expansion',
    kind: 'expands',
    statements: (step) => [step.sql.schema.alterTable('messages').addColumn('planted', 'integer')],
    indexes: (step) => [
      {
        name: 'messages_planted',
        create: step.sql.schema.createIndex('messages_planted').on('messages').column('planted'),
      },
    ],
  },
  {
    name: '0003-planted-contraction',
    kind: 'contracts',
    statements: (step) => [step.sql.schema.alterTable('messages').dropColumn('planted')],
  },
]

/** The steps that this version has more than the real one: as many as `PLANTED_STEPS` says. */
export const plantedSteps = (): readonly Migration[] => steps.slice(0, Number(process.env.PLANTED_STEPS))
