/** Number of times that a play kills the server: a few in each run, and a hundred by `npm run test:long`. */
export const kills = Number(process.env.POSTHORN_TEST_KILLS ?? 5)

/** Seed from which the moments of the kills follow; a failure tells it. */
export const seed = Number(process.env.POSTHORN_TEST_SEED ?? Date.now() % 1_000_000)
