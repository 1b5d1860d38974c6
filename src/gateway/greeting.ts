import type { Networks } from '../networks/driver/registry.ts'
import type { Config } from '../runtime/config/config.ts'
import { isInTheOpen } from '../runtime/config/listening.ts'
import type { FirstStart } from './first-start.ts'
import type { SharedCallback } from './wiring.ts'

interface Started {
  /** The URL at which this machine reaches the server. */
  readonly url: string
  readonly firstStart: FirstStart | undefined
  readonly networks: Networks
  /** Callback URLs that a network uses for many instances. */
  readonly sharedCallbacks: readonly SharedCallback[]
  /** Signs one browser in to the console. */
  readonly link?: string | undefined
}

/**
 * Returns the text shown to the operator once the server serves. Only this text shows an admin key, and only on a terminal:
 * any other reader of the output may log it.
 */
export function greeting(
  { url, firstStart, networks, sharedCallbacks, link }: Started,
  config: Config,
  isTerminal = false,
): string {
  const network = config.POSTHORN_DEFAULT_NETWORK
  const trying = networks.get(network)?.isSimulated
    ? ' (only for trying the API: its messages never leave this server)'
    : ''
  const lines = [
    `Posthorn serves on ${url}`,
    ...(isTerminal && link !== undefined
      ? [
          `  console           ${link}`,
          '                    signs one browser in, within 10 minutes; `npx posthorn console` prints another link',
        ]
      : [`  console           ${url}/console`]),
    `  reference         ${url}/docs`,
    `  contract          ${url}/v1/openapi.json`,
    `  default network   ${network}${trying}`,
  ]
  // A callback URL may be in a log: knowing it is not enough to sign.
  for (const callback of sharedCallbacks)
    lines.push(`  callbacks         ${callback.url} (${callback.title})`)
  if (isInTheOpen(config)) {
    lines.push(
      `  warning           other machines may reach it on ${config.POSTHORN_LISTEN.host}, and without TLS they can read API keys and messages:`,
      '                    put a TLS proxy in front and set POSTHORN_BASE_URL to its https URL, or listen on 127.0.0.1',
    )
  }
  if (firstStart) {
    lines.push(
      `  organization      ${firstStart.organization}`,
      ...(isTerminal
        ? [
            `  admin key         ${firstStart.adminKey}`,
            `                    shown only this once, and written to ${firstStart.file}`,
          ]
        : [`  admin key         in ${firstStart.file}`]),
    )
  }
  return `${lines.join('\n')}\n`
}
