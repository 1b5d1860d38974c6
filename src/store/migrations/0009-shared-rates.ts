import { wallOfLater } from './first/walls.ts'
import type { Migration } from './migration.ts'

/** Keeps what nodes tell each other about the requests of keys where no word reaches them. */
export const sharedRates: Migration = {
  name: '0009-shared-rates',
  kind: 'expands',
  statements: (step) => [
    step.table('rate_use', { key: ['node', 'number'], inOneTree: true }),
    ...wallOfLater(step, 'rate_use', null),
  ],
}
