import type { Answer } from './operations.ts'

/** Who is signed in: a key of an organization, or the operator. */
export type Me = Answer<'getMe'>
