// In plain JavaScript, so that the memory settings and the cache of stripped types are in force before anything is loaded.
import { refuseOldNode } from './node-version.js'

refuseOldNode('call `npm start`, which fetches a newer one')
const { keepCompiled, loadInParts } = await import('./compile-cache.js')
const { boundGarbage, letNurseryGrow } = await import('./garbage.js')
// Loading makes much garbage at once. V8 would let its nursery grow for it, and keep that; so it grows only when load comes.
letNurseryGrow(false)
keepCompiled()
await loadInParts(
  () => import('typebox/schema'),
  () => import('fastify'),
  () => import('./contract/operations.ts'),
  () => import('./server/server.ts'),
  () => import('./messages/transactions.ts'),
  () => import('./gateway/handlers.ts'),
)
const { runProcess } = await import('./gateway/process.ts')
const words = process.argv.slice(2)
const restored = words[0] === '--restored'
if (words.length > (restored ? 1 : 0)) {
  process.stderr.write(
    'Posthorn cannot start: it takes no argument but --restored, for a disk that went back to a snapshot; the settings are in docs/configuration.md.\n',
  )
  process.exit(2)
}
await runProcess({ began: boundGarbage, restored })
