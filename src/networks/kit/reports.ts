/** Whether everything that was reported is stored, once that is known of all of it. */
export async function allStored(reports: readonly (Promise<boolean> | boolean)[]): Promise<boolean> {
  return (await Promise.all(reports)).every((isStored) => isStored)
}
