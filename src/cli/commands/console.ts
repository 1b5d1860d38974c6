import { readConfig } from '../../networks/config.ts'
import { findAdminKey } from '../../organizations/session-store.ts'
import { makeSignInLink } from '../../organizations/sign-in-link.ts'
import type { Config } from '../../runtime/config/config.ts'
import { localUrl } from '../../runtime/config/listening.ts'
import { readServerUrls } from '../../runtime/config/server-url.ts'
import { isServerRunning } from '../../store/server-lock.ts'
import type { Store } from '../../store/store.ts'
import { command, Refusal, WrongUsage } from '../command.ts'
import { explain, print } from '../output.ts'
import { withStore } from '../store.ts'

/** `posthorn console`. The link is a secret until it was used: it stands alone on standard output. */
export const consoleCommand = command({
  name: 'console',
  summary: 'Print a link that signs one browser in to the console.',
  options: {
    key: {
      type: 'string',
      value: 'ID',
      description:
        'The key whose rights the browser gets. By default, the newest admin key that is not limited.',
    },
    organization: {
      type: 'string',
      value: 'NAME',
      description: 'The organization whose admin key it is. Needed only if there are several.',
    },
    operator: {
      type: 'boolean',
      description: "Sign in as the operator, as with the operator's token, instead of with a key.",
    },
  },
  async run({ options }) {
    const { key, organization, operator } = options
    const chosen = [key, organization, operator].filter((value) => value !== undefined)
    if (chosen.length > 1) throw new WrongUsage('give only one of --key, --organization and --operator')
    const { baseUrl, isGuess } = urlForBrowsers(readConfig(process.env))
    const { owner, link } = await withStore(async (store) => {
      const owner = operator ? 'operator' : (key ?? (await adminKey(store, organization ?? null)))
      return { owner, link: await makeSignInLink(store, { owner, baseUrl, now: Date.now() }) }
    })
    if (link === undefined)
      throw new Refusal(
        'there is no such key, or it has expired or was revoked; `npx posthorn keys list` shows the keys',
      )
    if (isGuess)
      explain(
        'No server on this data folder says where it is, so the link has the address in POSTHORN_LISTEN. If browsers reach the server elsewhere, set POSTHORN_BASE_URL.',
      )
    const whose = operator ? 'as the operator' : `with the key ${owner}`
    explain(`This link signs one browser in ${whose}. It works once, and for 10 minutes:`)
    print(link)
  },
})

/** The URL under which browsers reach the server: as set here, or as the running server says. Without either, a guess by the settings here. */
function urlForBrowsers(config: Config): { baseUrl: string; isGuess?: true } {
  const { POSTHORN_BASE_URL: set, POSTHORN_DATA: folder, POSTHORN_LISTEN: listen } = config
  if (set !== undefined) return { baseUrl: set }
  const kept = isServerRunning(folder) ? readServerUrls(folder) : undefined
  if (kept !== undefined) return { baseUrl: kept.browsers }
  if (listen.port !== 0) return { baseUrl: localUrl(listen), isGuess: true }
  throw new Refusal(
    'no server on this data folder says where it is, and POSTHORN_LISTEN has no port; set POSTHORN_BASE_URL to the URL under which browsers reach the server',
  )
}

async function adminKey(store: Store, organization: string | null): Promise<string> {
  const found = await store.read(findAdminKey, { organization, now: Date.now() })
  if (found.kind === 'key') return found.id
  const name = organization ?? 'NAME'
  throw new Refusal(
    {
      several:
        'there are several organizations; choose one with --organization, or sign in as the operator with --operator',
      no_organization: `there is no organization "${name}"; \`npx posthorn organizations list\` shows them`,
      no_key: `the organization has no admin key without limits; create one with \`npx posthorn keys create --organization ${name} --role admin\`, or choose a key with --key`,
    }[found.kind],
  )
}
