import { type FunctionComponent, h } from 'preact'
import type { ContentKind, EnteredContents } from '../../core/contents/contents.ts'
import type { Network } from '../../core/operations.ts'
import type { Faults } from '../failure.ts'
import { CardFields } from './card-fields.ts'
import type { ContentFieldsProps } from './content-props.ts'
import { PlaceFields } from './place-fields.ts'
import { PollFields } from './poll-fields.ts'
import { QuestionFields } from './question-fields.ts'

interface ContentProps {
  readonly kind: ContentKind
  readonly entered: EnteredContents
  readonly onChange: (entered: EnteredContents) => void
  readonly network: Network
  readonly faults: Faults
}

const fields: {
  readonly [Kind in ContentKind]: FunctionComponent<ContentFieldsProps<EnteredContents[Kind]>>
} = {
  location: PlaceFields,
  contacts: CardFields,
  poll: PollFields,
  interactive: QuestionFields,
}

/** The fields in which a person composes a content. */
export function ContentFields({ kind, entered, onChange, ...props }: ContentProps) {
  return h(fields[kind] as FunctionComponent<ContentFieldsProps<unknown>>, {
    ...props,
    entered: entered[kind],
    onChange: (changed) => onChange({ ...entered, [kind]: changed }),
  })
}
