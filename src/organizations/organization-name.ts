import { slugPattern } from '../runtime/ids.ts'

const slug = new RegExp(slugPattern)

/** Organizations are named like instances: by a slug. Anything else is refused, nothing is trimmed. */
export function isOrganizationName(name: string): boolean {
  return slug.test(name)
}
