// In plain JavaScript, so that the memory settings and the cache of stripped types are in force before anything is loaded.
import { setFlagsFromString } from 'node:v8'
import { keepCompiled } from './compile-cache.js'

// What a request makes is short-lived. V8 would let its nursery grow to many times what that needs.
setFlagsFromString('--max-semi-space-size=2')
setFlagsFromString('--semi-space-growth-factor=1')
keepCompiled()
const { serve } = await import('./serve.ts')
await serve()
