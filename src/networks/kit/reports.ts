/** Resolves with true if all reports are stored, once that is known of each. */
export async function allStored(reports: readonly (Promise<boolean> | boolean)[]): Promise<boolean> {
  return (await Promise.all(reports)).every((isStored) => isStored)
}
