import type { Network } from '../../core/operations.ts'
import type { Faults } from '../failure.ts'

/** Properties of the fields of one kind of content. */
export interface ContentFieldsProps<Entered> {
  readonly entered: Entered
  readonly onChange: (entered: Entered) => void
  readonly network: Network
  /** Reasons why the server refused values. */
  readonly faults: Faults
}
