/** The filters of the list, as the link has them. */
export type ListQuery = Readonly<Partial<Record<'instance' | 'show' | 'q', string>>>

/** The parts that the list can be narrowed to. */
export const narrowings = ['unread', 'person', 'group'] as const

/** Makes the request of the list. */
export function listRequest({ instance, show, q }: ListQuery) {
  const kind = show === 'person' || show === 'group' ? ({ kind: show } as const) : {}
  return {
    query: {
      ...(instance ? { instance } : {}),
      ...(q ? { search: q } : {}),
      ...(show === 'unread' ? { unread: true } : kind),
      limit: 50,
    },
  }
}

/** Returns true if the list leaves out conversations by more than their instance. */
export function isFiltered({ show, q }: ListQuery): boolean {
  return Boolean(q) || narrowings.some((each) => each === show)
}
