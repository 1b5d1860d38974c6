/*
 * The behaviour of groups of the sandbox, as data.
 */

/** Every word by which a text has the members of a group change it, and what follows it. */
export const groupWords = {
  '/rename': '`/rename New subject`',
  '/add': '`/add ana@delivers.sandbox`',
  '/remove': '`/remove ana@delivers.sandbox`',
  '/ask': '`/ask ana@delivers.sandbox`, which has her ask to join',
  '/withdraw': '`/withdraw ana@delivers.sandbox`',
  '/promote': '`/promote ana@delivers.sandbox`',
  '/demote': '`/demote ana@delivers.sandbox`',
  '/kick': '`/kick`, which removes the account',
  '/invite': '`/invite`, which adds the account again',
  '/say': '`/say Hello`, which has a member write that',
} as const

/** Ways in which the sandbox treats changes of a group. */
export type GroupBehaviour = 'obeys' | 'refuses' | 'loses' | 'silent' | 'gone'

const groupBehaviours: Readonly<Record<string, GroupBehaviour>> = {
  group: 'obeys',
  'group-refuses': 'refuses',
  'group-loses': 'loses',
  'group-silent': 'silent',
  'group-gone': 'gone',
}

/** The behaviour of the group at a normalized address; undefined if it is that of a person. */
export function groupBehaviour(address: string): GroupBehaviour | undefined {
  const [, behaviour = ''] = /@([a-z0-9-]+)\.sandbox$/.exec(address) ?? []
  return Object.hasOwn(groupBehaviours, behaviour) ? groupBehaviours[behaviour] : undefined
}
