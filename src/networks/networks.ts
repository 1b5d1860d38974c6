import type { NetworkModule } from './driver/network.ts'

/** The networks that this build speaks, one line each, in the order in which they are shown. */
const folders = await Promise.all([
  import('./sandbox/index.ts'),
  import('./xmpp/index.ts'),
  import('./telegram/index.ts'),
  import('./whatsapp/index.ts'),
  import('./whatsapp-cloud/index.ts'),
])

export const networks: readonly NetworkModule[] = folders.map(({ network }) => network)
