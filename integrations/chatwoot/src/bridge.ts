import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Posthorn } from '../../../clients/javascript/src/index.ts'
import { Chatwoot } from './chatwoot.ts'
import { ChatwootError, pauseFor } from './chatwoot-request.ts'
import { findBeginning, followFeed } from './feed.ts'
import { Files } from './files.ts'
import { incomingWork } from './incoming.ts'
import { type Log, reasonOf } from './log.ts'
import { visitWork } from './replies.ts'
import type { TextLimits } from './reply-parts.ts'
import type { Settings } from './settings.ts'
import { State } from './state.ts'
import { fetchInPieces } from './streamed-form.ts'
import { sweepRepeatedly } from './sweep.ts'
import { tickWork } from './ticks.ts'
import { webhookPath, webhookServer } from './webhook.ts'
import { Worker } from './worker.ts'

/** A fault that only a person can remove, in a sentence that says how. */
export class SetupError extends Error {
  override readonly name = 'SetupError'
}

const retryMs = 2_000

/** Runs the bridge until the signal aborts. Rejects with a `SetupError` if the settings do not fit the two sides. */
export async function runBridge(settings: Settings, log: Log, signal: AbortSignal): Promise<void> {
  const state = openState(settings.data)
  const fault = new AbortController()
  const ending = AbortSignal.any([signal, fault.signal])
  try {
    await runOn(state, settings, { log, signal: ending, onFault: (error) => fault.abort(error) })
    if (fault.signal.aborted) throw fault.signal.reason
  } finally {
    state.close()
  }
}

interface Surroundings {
  readonly log: Log
  readonly signal: AbortSignal
  readonly onFault: (error: unknown) => void
}

async function runOn(
  state: State,
  settings: Settings,
  { log, signal, onFault }: Surroundings,
): Promise<void> {
  const { accountId, inboxId, instance, settleMs, sweepMs } = settings
  const { posthornUrl: baseUrl, posthornKey: key } = settings
  const posthorn = new Posthorn({ baseUrl, key, fetch: fetchInPieces })
  const endpoint = { url: settings.chatwootUrl, token: settings.chatwootToken, signal }
  const chatwoot = new Chatwoot(endpoint, accountId, inboxId)
  const inboxIdentifier = await untilItSucceeds(() => prepareChatwoot(state, chatwoot), log, signal)
  const limits = await untilItSucceeds(() => limitsOf(posthorn, instance), log, signal)
  await untilItSucceeds(() => findBeginning(state, posthorn), log, signal)
  state.holdTried(Date.now() + settleMs)
  const files = new Files(settings.data, settings.maxFileBytes)
  const inboxName = `${accountId}/${inboxId}`
  const both = { state, posthorn, chatwoot, files, log, signal, instance, inboxName }
  const work = {
    incoming: incomingWork({ ...both, inboxIdentifier, settleMs }),
    visit: visitWork({ ...both, accountId, limits }),
    tick: tickWork(state, chatwoot),
  }
  const worker = new Worker(state, work, { log, signal, onFault })
  const onWork = () => worker.wake()
  const isResting = () => worker.isResting
  const secret = settings.webhookSecret
  const server = webhookServer({ state, secret, accountId, inboxId, isResting, onWork })
  const port = await listen(server, settings)
  if (secret === undefined)
    log('Webhooks are not checked: set CHATWOOT_WEBHOOK_SECRET if Chatwoot signs them.')
  log(`The bridge listens on http://${settings.listenHost}:${port}${webhookPath}`)
  try {
    await Promise.all([
      worker.run(),
      followFeed({ ...both, onWork }),
      sweepRepeatedly({ state, chatwoot, log, sweepMs, onWork, signal }),
    ])
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

async function listen(server: Server, { listenHost, listenPort }: Settings): Promise<number> {
  try {
    server.listen(listenPort, listenHost)
    await once(server, 'listening')
  } catch (error) {
    throw new SetupError(`The bridge cannot listen (${reasonOf(error)}). Check BRIDGE_LISTEN.`)
  }
  return (server.address() as AddressInfo).port
}

function openState(data: string): State {
  try {
    return new State(data)
  } catch (error) {
    throw new SetupError(
      `The database in ${data} cannot be opened (${reasonOf(error)}). Check BRIDGE_DATA, and that no other bridge runs on it.`,
    )
  }
}

/** Returns the identifier of the inbox. The first time, replies count from this moment on. */
async function prepareChatwoot(state: State, chatwoot: Chatwoot): Promise<string> {
  const { inbox, at } = await chatwoot.inbox()
  const { channel_type, inbox_identifier } = inbox
  if (channel_type !== 'Channel::Api')
    throw new SetupError('CHATWOOT_INBOX must be an inbox of the type API.')
  if (!inbox_identifier)
    throw new SetupError(
      'Chatwoot does not show the identifier of the inbox: CHATWOOT_TOKEN must be that of an administrator.',
    )
  if (state.fact('floor') === undefined) state.setFact('floor', at)
  return inbox_identifier
}

/** Returns the limits of the network that the instance is on. */
async function limitsOf(posthorn: Posthorn, instance: string): Promise<TextLimits> {
  const { network } = await posthorn.instances.get(instance)
  const { data } = await posthorn.networks.list()
  const limits = data.find((one) => one.network === network)?.limits
  if (limits) return { text: limits.text_characters, caption: limits.caption_characters }
  throw new SetupError(`Posthorn does not describe the network ${network}.`)
}

/** Tries again until both sides are there, and only gives up if one of them says that a setting is wrong. */
async function untilItSucceeds<R>(attempt: () => Promise<R>, log: Log, signal: AbortSignal): Promise<R> {
  for (let failures = 0; ; failures++) {
    try {
      return await attempt()
    } catch (error) {
      if (error instanceof SetupError) throw error
      const status = (error as { readonly status?: number }).status
      if (status === 401 || status === 403 || status === 404) throw new SetupError(setupFault(error))
      if (failures % 20 === 0) log(`Waiting: ${reasonOf(error)}`)
      await pauseFor(retryMs, signal)
    }
  }
}

function setupFault(error: unknown): string {
  return error instanceof ChatwootError
    ? `${error.message} Check CHATWOOT_URL, CHATWOOT_TOKEN, CHATWOOT_ACCOUNT and CHATWOOT_INBOX.`
    : `${reasonOf(error)} Check POSTHORN_URL, POSTHORN_KEY and POSTHORN_INSTANCE.`
}
