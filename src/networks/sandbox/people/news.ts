import type { Static } from 'typebox'
import { marketingChoices, templateCategories, templateStatuses } from '../../../contract/statuses.ts'
import Type from '../../../contract/type.ts'
import type { MarketingChoiceMade, TemplateChanged } from '../../driver/account-news.ts'
import { parseAddress } from '../address.ts'

const closed = { additionalProperties: false }

/** Callbacks of the sandbox about the account: a person wants no marketing, or some again; or a template was judged. */
export const told = Type.Object(
  {
    marketing: Type.Optional(
      Type.Object({ from: Type.String(), choice: Type.Enum([...marketingChoices]) }, closed),
    ),
    template: Type.Optional(
      Type.Object(
        {
          name: Type.String({ minLength: 1, maxLength: 512 }),
          language: Type.String({ minLength: 2, maxLength: 35 }),
          status: Type.Enum([...templateStatuses]),
          category: Type.Optional(Type.Enum([...templateCategories])),
          rejected_reason: Type.Optional(Type.String({ maxLength: 100 })),
        },
        closed,
      ),
    ),
  },
  closed,
)

/** News without their time. */
export type SandboxNews = Omit<MarketingChoiceMade, 'at'> | Omit<TemplateChanged, 'at'>

/** The news in a callback; null if there are none, or an address is not one of the sandbox. */
export function newsIn({ marketing, template }: Static<typeof told>): SandboxNews | null {
  if (template) {
    const { status, rejected_reason = null } = template
    return { kind: 'template-changed', ...template, network_status: status.toUpperCase(), rejected_reason }
  }
  const from = marketing ? parseAddress(marketing.from) : null
  return marketing && from?.ok
    ? { kind: 'marketing-choice', address: from.address, choice: marketing.choice }
    : null
}
