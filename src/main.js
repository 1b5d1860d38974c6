// In plain JavaScript, so that the memory settings and the cache of stripped types are in force before anything is loaded.
import { setFlagsFromString } from 'node:v8'
import { keepCompiled } from './compile-cache.js'

// Loading makes much garbage at once. V8 would let its nursery grow for it, and keep that; so it grows only when load comes.
setFlagsFromString('--semi-space-growth-factor=1')
// On a machine with much memory, V8 lets a heap grow to four times of what is alive in it before it looks for garbage. Twice is
// enough: a load of texts takes no more processor time with it, and leaves a tenth less memory in use.
setFlagsFromString('--heap-growing-percent=100')
keepCompiled()
const { serve } = await import('./serve.ts')
await serve(() => setFlagsFromString('--semi-space-growth-factor=2'))
