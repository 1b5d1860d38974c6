import { styleText } from 'node:util'
import type { Event } from '../../../contract/resources/event.ts'
import { signatureHeaders } from '../../../events/delivery/attempt/signature.ts'
import { newWebhookSecret } from '../../../events/webhook-secrets.ts'
import { readSecretFile, writeSecretFile } from '../../../runtime/config/secret-file.ts'
import { command, Refusal } from '../../command.ts'
import { choiceOptions, eventLine, followEvents, untilInterrupted } from '../../follow-events.ts'
import { explain, print } from '../../output.ts'
import { serverClient, serverOptions } from '../../server-client.ts'

/** Milliseconds that the local program may take to answer. */
const timeout = 20_000

/** `posthorn webhooks listen`: what a webhook would get, sent to a program on this machine, and signed as it would be. */
export const listenWebhooks = command({
  name: 'webhooks listen',
  summary: 'Forward events as they happen to a program that you are developing, signed like a webhook.',
  options: {
    forward: {
      type: 'string',
      value: 'URL',
      description: 'The URL of your program, for example http://localhost:3000/hook.',
      required: true,
    },
    'secret-file': {
      type: 'string',
      value: 'FILE',
      description:
        'The file with the secret to sign with; it is created if it does not exist. By default, a new secret each time.',
    },
    ...choiceOptions,
    ...serverOptions,
  },
  async run({ options }) {
    const target = options.forward
    if (!/^https?:/.test(URL.parse(target)?.protocol ?? ''))
      throw new Refusal('--forward must be a URL, for example http://localhost:3000/hook')
    const { client, url } = serverClient(options)
    const secret = secretIn(options['secret-file'])
    explain(`following the events of ${url}; end it with Ctrl-C`)
    explain(`your program verifies them with the secret ${secret}`)
    const signal = untilInterrupted()
    for await (const event of followEvents(client, options, signal)) {
      print(eventLine(event))
      print(await forward(event, { target, secret, signal }))
    }
  },
})

function secretIn(file: string | undefined): string {
  if (file === undefined) return newWebhookSecret()
  const known = readSecretFile(file)
  if (known !== undefined) {
    if (/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(known)) return known
    throw new Refusal('the secret file does not hold a secret; it begins with whsec_')
  }
  const fresh = newWebhookSecret()
  writeSecretFile(file, fresh)
  return fresh
}

interface Forwarding {
  readonly target: string
  readonly secret: string
  readonly signal: AbortSignal
}

/** Sends one event, and returns the outcome as a line. A failed event is not sent again: the next one follows. */
async function forward(event: Event, { target, secret, signal }: Forwarding): Promise<string> {
  const body = Buffer.from(JSON.stringify(event))
  const begun = performance.now()
  try {
    const response = await fetch(target, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...signatureHeaders({ id: event.id, at: Date.now(), body, secrets: [secret] }),
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
    })
    await response.body?.cancel()
    const took = `in ${Math.round(performance.now() - begun)} ms`
    return styleText(response.ok ? 'green' : 'red', `  → ${response.status} ${took}`)
  } catch (error) {
    const { message, cause } = error as Error
    return styleText('red', `  → no response: ${cause instanceof Error ? cause.message : message}`)
  }
}
