// In plain JavaScript, so that the memory settings and the cache of stripped types are in force before anything is loaded.
import { setFlagsFromString } from 'node:v8'
import { keepCompiled } from './compile-cache.js'

// Loading makes much garbage at once. V8 would let its nursery grow for it, and keep that; so it grows only when load comes.
setFlagsFromString('--semi-space-growth-factor=1')
keepCompiled()
const { serve } = await import('./serve.ts')
await serve(() => setFlagsFromString('--semi-space-growth-factor=2'))
