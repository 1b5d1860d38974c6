import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

/*
 * Loaded with `--import` before everything else, it changes sources of ours as they are loaded: the bug is in the process alone, and
 * nothing in the program knows of it. `POSTHORN_TEST_PLANTED` has the changes as JSON. In plain JavaScript, because it is loaded
 * in each thread.
 */

const root = new URL('../../../', import.meta.url)
const changes = Map.groupBy(
  JSON.parse(process.env.POSTHORN_TEST_PLANTED ?? '[]'),
  ({ file }) => new URL(file, root).href,
)

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    const own = changes.get(url)
    if (!own) return loaded
    let source = String(loaded.source)
    for (const { from, to } of own) {
      if (source.split(from).length !== 2)
        throw new Error(`the bug does not fit into ${fileURLToPath(url)} any more: it has not one "${from}"`)
      source = source.replace(from, () => to)
    }
    return { ...loaded, source }
  },
})
