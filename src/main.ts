import { enableCompileCache } from 'node:module'

// Stripping types takes most of a cold start; what was stripped once is kept.
enableCompileCache()
const { serve } = await import('./serve.ts')
await serve()
