/** How often a play kills the server: a few times in each run, and a hundred times by `npm run test:long`. */
export const kills = Number(process.env.POSTHORN_TEST_KILLS ?? 5)

/** What the moments of the kills follow from; a failure tells it. */
export const seed = Number(process.env.POSTHORN_TEST_SEED ?? Date.now() % 1_000_000)
