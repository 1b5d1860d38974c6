import { enableCompileCache, flushCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

/**
 * Keeps what was stripped of its types and compiled, beside the dependencies: stripping takes most of a cold start, and what
 * strips stays in memory once it was needed. Each thread has to ask for it by itself, before it loads the first TypeScript,
 * which is why this file and the two that begin a thread are plain JavaScript.
 */
export function keepCompiled() {
  enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/posthorn', import.meta.url)))
  // Node writes it when the process ends in good order; a server may be killed.
  setTimeout(() => flushCompileCache(), 3_000).unref()
}

/**
 * Loads parts of the program one after the other. Node keeps the compiled code of all that it loaded until it looks at what must be
 * written; if it looks after each part, the memory serves for the next one.
 */
export async function loadInParts(...loads) {
  for (const load of loads) {
    await load()
    flushCompileCache()
  }
}
