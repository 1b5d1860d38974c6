import type { QuotaName } from '../contract/statuses.ts'
import { webhookClient } from '../events/delivery/attempt/webhook-client.ts'
import { Deliverer } from '../events/delivery/deliverer/deliverer.ts'
import { wholeBacklog } from '../events/delivery/queue/lag.ts'
import { QuotaNotices } from '../events/quota-notices.ts'
import { EventCounter } from '../events/statistics/event-counter.ts'
import { WebhookSecrets } from '../events/webhook-secrets.ts'
import { CallbackIntake } from '../instances/callbacks/callback-intake.ts'
import { countCallbacks } from '../instances/callbacks/callback-store.ts'
import { CallbackTokens, callbackPathOf } from '../instances/callbacks/callback-tokens.ts'
import { CallbackUrls } from '../instances/callbacks/callback-urls.ts'
import { InstanceSecrets } from '../instances/credentials.ts'
import { Supervisor } from '../instances/lifecycle/supervisor.ts'
import { LinkPages } from '../instances/link-pages/link-pages.ts'
import { IncomingCapacity } from '../instances/reports/incoming-capacity.ts'
import { FileIntake } from '../media/file-quota.ts'
import { type FileFetchers, makeFileFetchers } from '../messages/files/file-fetchers.ts'
import { renderMessageEvent } from '../messages/message-events.ts'
import { readQueueTotals } from '../messages/outbox/queue/queue-totals.ts'
import { countHeld } from '../messages/outbox/recovery/held.ts'
import { type HttpClients, httpClients } from '../net/http/client.ts'
import { KeyRing } from '../organizations/key-ring.ts'
import { Sessions } from '../organizations/sessions.ts'
import { readUsageTotals } from '../organizations/usage.ts'
import { Changes } from '../runtime/changes.ts'
import { type Clock, systemClock } from '../runtime/clock.ts'
import { bounds as fixedBounds } from '../runtime/config/bounds.ts'
import type { Config } from '../runtime/config/config.ts'
import { Shares, shareLimits } from '../runtime/limits/share.ts'
import type { Log } from '../runtime/log.ts'
import type { Seal } from '../runtime/secrets/seal.ts'
import { Alarms } from '../runtime/timers/alarms.ts'
import { Authentication, type OperatorTokens } from '../server/access/authenticate.ts'
import { HostCheck } from '../server/access/host-check.ts'
import { BrowserSessions } from '../server/access/sessions/browser-sessions.ts'
import { AuditTrail } from '../server/audit-trail.ts'
import { ClientAddresses } from '../server/connections/client-address.ts'
import { Connections } from '../server/connections/connections.ts'
import { Metrics } from '../server/metrics/metrics.ts'
import { ResponseMemory } from '../server/responses/response-memory.ts'
import { buildServer, timeLimits } from '../server/server.ts'
import type { StoreForAll } from '../store/store.ts'
import { TurnsOf } from '../store/turns-of.ts'
import { version } from '../version.ts'
import { openSeal, operatorTokens } from './first-start.ts'
import { makeHandlers } from './handlers.ts'
import {
  callbackLimits,
  makeAnonymousLimit,
  makeCallbackLimit,
  makeCallbackTurns,
  makeKeyLimits,
  makeKeyTurns,
  quotasOf,
} from './limits.ts'
import type { Bounds, RunningState, Shared, SharedByPart, Works } from './parts.ts'

/** A URL of the operator that a network calls for many instances. */
export interface SharedCallback {
  readonly title: string
  readonly url: string
}

/** The parts of a server, put together and not begun. */
export interface Composition {
  readonly alarms: Alarms
  readonly supervisor: Supervisor
  readonly fileFetchers: FileFetchers
  readonly deliverer: Deliverer
  readonly eventCounter: EventCounter
  readonly server: ReturnType<typeof buildServer>
  /** What connections send requests with. */
  readonly http: HttpClients
  /** Where networks call for many instances, at this base URL. */
  readonly sharedCallbacks: (baseUrl: string) => SharedCallback[]
  /** Wakes those who wait for the events of an organization that another process has added. */
  readonly wakeOrganization: (organizationId: string) => void
}

/** Puts the parts of a server together: values passed down, nothing global. */
export async function compose(
  config: Config,
  log: Log,
  { store, media, networks, names }: Pick<Shared, 'store' | 'media' | 'networks' | 'names'>,
  state: RunningState,
): Promise<Composition> {
  const clock = systemClock
  const alarms = new Alarms(clock)
  const seal = await openSeal(new TurnsOf(store, 'start'), config)
  const tokens = operatorTokens(config)
  const shared: Shared = {
    config,
    log,
    store,
    media,
    networks,
    clock,
    ...{ alarms, names },
    ...secretsOf(seal),
    ...makeChanges(),
    ...makeRings(store, clock, tokens),
  }
  const shares = makeShares(shared, () => metrics)
  const callers = makeCallers(shared, () => metrics)
  const metrics = makeMetrics(inTurnsOf(shared, 'metrics'), { shares, ...callers }, () => works)
  const bounds = makeBounds(shared, metrics)
  const http = makeHttpClients(shared)
  const supervisor = makeSupervisor(shared, metrics, { ...bounds, shares, http }, () =>
    fileFetchers.received.wake(),
  )
  const fileFetchers = makeFileFetchers({ ...inTurnsOf(shared, 'files'), intake: bounds.intake }, supervisor)
  const deliverer = makeDeliverer(inTurnsOf(shared, 'webhooks'), metrics)
  const works: Works = { supervisor, fileFetchers, deliverer }
  const eventCounter = new EventCounter(inTurnsOf(shared, 'statistics'))
  const wakeOrganization = hearCommits(shared, metrics, [deliverer, eventCounter])
  const handlers = makeHandlers(shared, metrics, { ...works, ...bounds }, state)
  const server = buildServer({
    handlers,
    ...knowCallers(shared, tokens),
    ...receiveCallbacks(inTurnsOf(shared, 'callbacks'), metrics, supervisor),
    fingerprint: (text) => seal.fingerprint(text),
    ...callers,
    anonymousLimit: makeAnonymousLimit(shared),
    hosts: new HostCheck(config.POSTHORN_BASE_URL, config.POSTHORN_ALLOWED_HOSTS),
    ...makeKeyLimits(shared),
    metrics,
    clock,
    alarms,
    log,
    intake: bounds.intake,
    stopping: state.stopping,
    uploadRate: fixedBounds.uploadRate.value,
    version,
    // The rest is for the attempts that are under way, which end only after the last request.
    times: { ...timeLimits, stop: config.POSTHORN_STOP_SECONDS * 400 },
  })
  const sharedCallbacks = sharedCallbacksOf(shared)
  return { alarms, ...works, eventCounter, http, server, wakeOrganization, sharedCallbacks }
}

function sharedCallbacksOf({ networks, callbackTokens }: Shared) {
  const shared = [...networks.values()].filter(({ callbacks }) => callbacks?.shared)
  return (baseUrl: string) =>
    shared.map(({ title, network }) => {
      return { title, url: baseUrl + callbackPathOf(network, callbackTokens.ofOperator(network)) }
    })
}

/** The same for a part of the server that works for all organizations, and has turns of its own at the store. */
function inTurnsOf(shared: Shared, part: string): SharedByPart {
  return { ...shared, store: new TurnsOf(shared.store, part) }
}

/** Who waits for what. */
function makeChanges() {
  return {
    messageChanges: new Changes(),
    instanceChanges: new Changes(),
    eventChanges: new Changes(),
    deliveryChanges: new Changes(),
  }
}

/** By what callers are known. */
function makeRings(store: StoreForAll, clock: Clock, { operator }: OperatorTokens) {
  const turns = new TurnsOf(store, 'authentication')
  return { keyRing: new KeyRing(turns, clock), sessions: new Sessions(turns, clock, operator) }
}

/** What the master key protects. */
function secretsOf(seal: Seal) {
  return {
    secrets: new InstanceSecrets(seal),
    callbackTokens: new CallbackTokens(seal),
    webhookSecrets: new WebhookSecrets(seal),
  }
}

/** Who calls, and where it is noted what they change. */
function knowCallers({ config, store, clock, keyRing, sessions }: Shared, tokens: OperatorTokens) {
  const browserSessions = new BrowserSessions(sessions, config.POSTHORN_BASE_URL)
  const linkPages = new LinkPages(new TurnsOf(store, 'link_pages'), clock)
  return {
    authentication: new Authentication(keyRing, tokens, browserSessions, linkPages),
    browserSessions,
    auditTrail: new AuditTrail(store, clock),
  }
}

function makeShares({ config, log }: Shared, metrics: () => Metrics): Shares {
  return new Shares({
    ...shareLimits(config),
    onExceeded: (scope) => metrics().endedConnection(scope),
    onReached: ({ organizationId, limit, isNews }) => {
      metrics().reachedRate(limit)
      if (isNews)
        log.warn(
          { organization_id: organizationId, limit },
          'an organization receives more than its rate; its connections take turns, and the rest waits at the networks',
        )
    },
  })
}

/** What callers may have: connections, and answers that they have not read. */
function makeCallers({ config, clock, alarms }: Shared, metrics: () => Metrics) {
  const connections: Connections = new Connections({
    addresses: new ClientAddresses(config.POSTHORN_TRUSTED_PROXIES),
    clock,
    alarms,
    most: config.POSTHORN_MAX_CONNECTIONS,
    perAddress: config.POSTHORN_ADDRESS_CONNECTIONS,
    onCut: (why) => metrics().cutConnection(why),
    isShort: (organization) => answers.isShort(organization),
  })
  const answers = new ResponseMemory({
    bytes: fixedBounds.answerBytes.value,
    alarms,
    addressOf: (request) => connections.addressBlockOf(request),
    before: (response) => connections.replyBefore(response),
    onRefused: () => metrics().refusedAnswer(),
  })
  return { connections, answers }
}

/** What counts what it holds. */
interface Held {
  readonly shares: Shares
  readonly connections: Connections
  readonly answers: ResponseMemory
}

function makeMetrics(
  { config, store, media, clock, networks, names }: SharedByPart,
  { shares, connections, answers }: Held,
  works: () => Works,
): Metrics {
  return new Metrics({
    networkCounts: [...networks.values()].flatMap(({ counts }) => counts ?? []),
    connections: () => connections.counts(),
    connectionMemory: () => shares.held,
    storeWaiting: () => store.waiting?.() ?? { read: 0, transaction: 0 },
    answers: () => answers.counts(),
    instancesByStatus: () => works().supervisor.countByStatus(),
    webhookAttempts: () => works().deliverer.underway,
    async webhookBacklog() {
      const { pending, oldestAt } = await wholeBacklog(store)
      return { depth: pending, oldestAgeSeconds: oldestAt === null ? 0 : (clock.now() - oldestAt) / 1000 }
    },
    voiceConversions: () => media.voiceNotes.conversions,
    fileFetches() {
      const { sent, received } = works().fileFetchers
      return { sent: sent.underway, received: received.underway }
    },
    nameLookUps: () => names,
    usage: () => store.read(readUsageTotals, quotasOf(config)),
    callbacks: () => store.read(countCallbacks, null),
    async queue() {
      const { depth, oldestAt } = await store.read(readQueueTotals, null)
      const held = await countHeld(store)
      return { depth, held, oldestAgeSeconds: oldestAt === null ? 0 : (clock.now() - oldestAt) / 1000 }
    },
  })
}

function makeBounds({ config, media, ...shared }: Shared, metrics: Metrics): Bounds {
  const quotas = quotasOf(config)
  const onRefused = (quota: QuotaName, count: number) => metrics.refused(quota, count)
  const notices = new QuotaNotices({ ...shared, quotas, onRefused })
  const intake = new FileIntake({
    ...shared,
    drafts: media.drafts,
    limit: quotas.file_bytes,
    onRefused: (organizationId) => notices.refused(organizationId, 'file_bytes'),
  })
  const incomingCapacity = new IncomingCapacity({
    ...shared,
    limit: quotas.incoming_messages,
    onRefused: (organizationId) => notices.refused(organizationId, 'incoming_messages'),
  })
  return { quotas, notices, intake, incomingCapacity }
}

/** What transactions announce is the organization whose events, or deliveries, they added to. */
function hearCommits(
  { store, eventChanges }: Shared,
  metrics: Metrics,
  readers: readonly { wake(organizationId: string): void }[],
) {
  const wakeOrganization = (organizationId: string) => {
    eventChanges.notify(organizationId)
    for (const reader of readers) reader.wake(organizationId)
  }
  store.onCommit = (transactions, announced) => {
    metrics.committed(transactions)
    for (const organizationId of announced) wakeOrganization(organizationId)
  }
  return wakeOrganization
}

function makeHttpClients({ config, clock, alarms, names }: Shared): HttpClients {
  const allowedBlocks = config.POSTHORN_CONNECT_ALLOW_CIDRS
  return httpClients({ clock, alarms, names, allowedBlocks, userAgent: `Posthorn/${version}` })
}

function makeSupervisor(
  { config, instanceChanges, callbackTokens, ...shared }: Shared,
  metrics: Metrics,
  { shares, incomingCapacity, http }: Bounds & { readonly shares: Shares; readonly http: HttpClients },
  fetchFiles: () => void,
): Supervisor {
  return new Supervisor({
    ...shared,
    callbackUrls: new CallbackUrls({
      ...shared,
      store: new TurnsOf(shared.store, 'callbacks'),
      callbackTokens,
      openCredentials: (instanceId, sealed) => shared.secrets.openCredentials(instanceId, sealed),
      baseUrl: config.POSTHORN_BASE_URL,
    }),
    changes: instanceChanges,
    random: Math.random,
    openFile: (file, turn) => shared.media.library.open(file, turn),
    forgetFiles: () => void shared.media.library.forgetAllExpired(),
    onVerdict: (verdict) => metrics.attempted(verdict),
    callbackTurns: makeCallbackTurns(),
    onCallbacks: (handling, count) => metrics.countCallbacks(handling, count),
    fetchFiles,
    connectRate: config.POSTHORN_CONNECT_RATE,
    keyLimit: config.POSTHORN_KEY_LIMIT,
    keyTurns: makeKeyTurns(),
    shares,
    http,
    incomingCapacity,
  })
}

/** Takes what networks post, and holds it to its limits. */
function receiveCallbacks(
  { config, secrets, ...shared }: SharedByPart,
  metrics: Metrics,
  supervisor: Supervisor,
) {
  const callbackIntake = new CallbackIntake({
    ...shared,
    limits: callbackLimits(config),
    openCredentials: (instanceId, sealed) => secrets.openCredentials(instanceId, sealed),
    onKept: (instanceId) => supervisor.wakeCallbacks(instanceId),
    onParts: (result, count) => metrics.countCallbacks(result, count),
  })
  return { callbackIntake, callbackLimit: makeCallbackLimit({ config, clock: shared.clock }) }
}

function makeDeliverer({ config, ...shared }: SharedByPart, metrics: Metrics): Deliverer {
  const { clock, alarms, names, webhookSecrets: secrets } = shared
  const concurrency = fixedBounds.webhookConcurrency.value
  return new Deliverer({
    ...shared,
    secrets,
    renderMessage: renderMessageEvent,
    client: webhookClient({
      clock,
      alarms,
      names,
      allowedBlocks: config.POSTHORN_WEBHOOK_ALLOW_CIDRS,
      userAgent: `Posthorn/${version}`,
      keptConnections: concurrency,
    }),
    concurrency,
    longestWait: fixedBounds.webhookLagMinutes.value * 60_000,
    random: Math.random,
    onAttempt: (verdict) => metrics.attemptedDelivery(verdict),
  })
}
