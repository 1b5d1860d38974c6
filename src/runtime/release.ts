/**
 * Takes steps that give something back, one after the other, and each of them even if others failed: a part that fails must
 * not keep the lock of another. Rejects in the end with the first error.
 */
export async function releaseAll(steps: readonly (() => unknown)[]): Promise<void> {
  const errors: unknown[] = []
  for (const step of steps) {
    try {
      await step()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
}
