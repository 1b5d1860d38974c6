import type { Me } from './contract/types.ts'
import { isProblem, PosthornError } from './errors.ts'
import type { PosthornOptions } from './options.ts'

/** The version of this package; a test compares it with package.json. */
export const version = '0.1.0'

/** The parts of other runtimes' globals that are used here, if they are there. */
interface Surroundings {
  readonly document?: object
  readonly navigator?: { readonly userAgent?: string }
  readonly process?: { readonly versions?: { readonly node?: string } }
}
const surroundings = globalThis as unknown as Surroundings

/** Returns the User-Agent as a header. Browsers set their own, and ask the server for permission if a page sets another. */
export function userAgent(): Readonly<Record<string, string>> {
  if (surroundings.document !== undefined) return {}
  const node = surroundings.process?.versions?.node
  const runtime = surroundings.navigator?.userAgent ?? (node === undefined ? 'unknown' : `Node.js/${node}`)
  return { 'user-agent': `posthorn-client/${version} ${runtime}` }
}

/**
 * Returns a check that every call passes first: in a browser, where each visitor of the page can read the key, a key that may do
 * everything is refused. It asks the server once, because a key does not show its role.
 */
export function browserGuard(options: PosthornOptions, readMe: () => Promise<unknown>): () => Promise<void> {
  const isFree =
    surroundings.document === undefined || options.allowAdminKeyInBrowser || options.key === undefined
  let checked: Promise<void> | undefined
  const check = async () => {
    // A network that fails says nothing about the key: the next call asks again.
    const me = (await readMe().catch((error: unknown) => {
      checked = undefined
      throw isProblem(error, 'forbidden') ? refusal() : error
    })) as Me
    if (mayDoEverything(me)) throw refusal()
  }
  return async () => {
    if (isFree) return
    checked ??= check()
    await checked
  }
}

function mayDoEverything({ key }: Me): boolean {
  return key === null || key.role === 'admin'
}

function refusal(): PosthornError {
  return new PosthornError(
    'This key may do everything, and each visitor of the page can read it. Use a key with the role `read` or `send` that is limited to ' +
      'some instances, or call Posthorn from your server. If the page is for administrators only, set allowAdminKeyInBrowser.',
  )
}
