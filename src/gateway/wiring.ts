import { Deliverer } from '../events/delivery/deliverer/deliverer.ts'
import { countTroubled, wholeBacklog } from '../events/delivery/queue/lag.ts'
import { TypingNotices } from '../events/live/typing-notices.ts'
import { QuotaNotices } from '../events/quota-notices.ts'
import { EventCounter } from '../events/statistics/event-counter.ts'
import { WebhookSecrets } from '../events/webhook-secrets.ts'
import { CallbackIntake } from '../instances/callbacks/callback-intake.ts'
import { countCallbacks } from '../instances/callbacks/callback-store.ts'
import { CallbackTokens, callbackPathOf } from '../instances/callbacks/callback-tokens.ts'
import { CallbackUrls } from '../instances/callbacks/callback-urls.ts'
import { InstanceSecrets } from '../instances/credentials.ts'
import type { Balance } from '../instances/lifecycle/balance.ts'
import { Supervisor } from '../instances/lifecycle/supervisor.ts'
import { LinkPages } from '../instances/link-pages/link-pages.ts'
import { IncomingCapacity } from '../instances/reports/incoming-capacity.ts'
import { FileIntake } from '../media/file-quota.ts'
import { makeFileFetchers } from '../messages/files/file-fetchers.ts'
import { renderMessageEvent } from '../messages/message-events.ts'
import { readQueueTotals } from '../messages/outbox/queue/queue-totals.ts'
import { countHeld } from '../messages/outbox/recovery/held.ts'
import { type HttpClients, httpClients } from '../net/http/client.ts'
import { Duties, housekeeping } from '../nodes/duties.ts'
import { timingFor } from '../nodes/node-lease.ts'
import { type OpenChannel, OtherNodes } from '../nodes/other-nodes.ts'
import { Peers } from '../nodes/peers.ts'
import { KeyRing } from '../organizations/key-ring.ts'
import { readLastBackup } from '../organizations/last-backup.ts'
import { SessionStore } from '../organizations/sessions.ts'
import { readUsageTotals } from '../organizations/usage.ts'
import { Changes } from '../runtime/changes.ts'
import { systemClock } from '../runtime/clock.ts'
import { bounds as fixedBounds } from '../runtime/config/bounds.ts'
import type { Config } from '../runtime/config/config.ts'
import { Shares, shareLimits } from '../runtime/limits/share.ts'
import type { Log } from '../runtime/log.ts'
import type { Seal } from '../runtime/secrets/seal.ts'
import { diskSpace } from '../runtime/system/disk-space.ts'
import { Alarms } from '../runtime/timers/alarms.ts'
import { AccessControl, type OperatorTokens } from '../server/access/access-control.ts'
import type { RateLimit } from '../server/access/rate-limit.ts'
import { BrowserSessions } from '../server/access/sessions/browser-sessions.ts'
import { AuditTrail } from '../server/audit-trail.ts'
import { ClientAddresses } from '../server/connections/client-address.ts'
import { Connections } from '../server/connections/connections.ts'
import { UnreadBytes } from '../server/connections/unread-bytes.ts'
import { HealthCheck } from '../server/health/health-check.ts'
import { Metrics } from '../server/metrics/metrics.ts'
import type { MetricsSources } from '../server/metrics/sources.ts'
import { ResponseMemory } from '../server/responses/response-memory.ts'
import { buildServer } from '../server/server.ts'
import { timeLimits } from '../server/server-context.ts'
import { TurnsOf } from '../store/turns-of.ts'
import { version } from '../version.ts'
import type { AppContext, BackgroundWorkers, RunningState } from './app-context.ts'
import { openSeal, operatorTokens } from './first-start.ts'
import { makeHandlers, webhookClientOf } from './handlers.ts'
import {
  callbackLimits,
  makeAnonymousLimit,
  makeCallbackLimit,
  makeCallbackTurns,
  makeKeyLimits,
  makeKeyTurns,
  quotasOf,
} from './limits.ts'
import { makeBalance } from './nodes.ts'

/** A URL of the operator that a network calls for many instances. */
export interface SharedCallback {
  readonly title: string
  readonly url: string
}

/** The parts of a server, put together and not begun. */
export interface Composition extends BackgroundWorkers, AppContext {
  readonly server: ReturnType<typeof buildServer>
  /** Gives instances to other nodes. */
  readonly balance: Balance
  /** The limit of the requests of each key; undefined for none. */
  readonly rateLimit: RateLimit | undefined
  /** The HTTP clients of connections to networks. */
  readonly http: HttpClients
  /** Returns the callback URLs that a network uses for many instances, at this base URL. */
  readonly sharedCallbacks: (baseUrl: string) => SharedCallback[]
  /** Wakes the readers of the events of an organization that another process has added. */
  readonly wakeOrganization: (organizationId: string) => void
}

/** The opened store, and what was read or found out with it. */
type Opened = Pick<AppContext, 'store' | 'node' | 'media' | 'networks' | 'names'> & {
  readonly openChannel: OpenChannel | undefined
}

/** Puts the parts of a server together: values passed down, nothing global. */
export async function compose(
  config: Config,
  log: Log,
  opened: Opened,
  state: RunningState,
): Promise<Composition> {
  const seal = await openSeal(new TurnsOf(opened.store, 'start'), config)
  const tokens = operatorTokens(config)
  const app = makeContext({ config, log, ...opened }, seal, tokens)
  const shares = makeShares(app)
  const http = makeHttpClients(app)
  const callers = makeCallers(app)
  const supervisor = makeSupervisor(app, { shares, http })
  const fileFetchers = makeFileFetchers({ ...inTurnsOf(app, 'files'), supervisor })
  const isOurs = (organization: string) => app.duties.hasOrganization(organization)
  const deliverer = makeDeliverer(app, isOurs)
  const eventCounter = new EventCounter({ ...inTurnsOf(app, 'statistics'), isOurs })
  const workers: BackgroundWorkers = { supervisor, fileFetchers, deliverer, eventCounter }
  const wakeOrganization = wakeOnCommit(app, [deliverer, eventCounter])
  const sources = measuredParts(app, { shares, ...callers, ...workers })
  app.metrics.measure(sources)
  const { metrics, clock, alarms, intake } = app
  const keyLimits = makeKeyLimits(app)
  const server = buildServer({
    handlers: makeHandlers(app, workers, { ...state, health: makeHealth(app, sources, state) }),
    ...makeAccess(app, tokens, callers.connections),
    ...makeCallbackIntake(app, supervisor),
    fingerprint: (text) => seal.fingerprint(text),
    ...callers,
    ...keyLimits,
    ...{ metrics, clock, alarms, log, intake },
    stopping: state.stopping,
    uploadRate: fixedBounds.uploadRate.value,
    version,
    // The rest is for the attempts that are under way, which end only after the last request.
    times: { ...timeLimits, stop: config.POSTHORN_STOP_SECONDS * 400 },
  })
  const balance = makeBalance(app, supervisor)
  return {
    ...app,
    ...workers,
    balance,
    rateLimit: keyLimits.rateLimit,
    http,
    server,
    wakeOrganization,
    sharedCallbacks: sharedCallbacksOf(app),
  }
}

/** Makes what the parts of the server share. */
function makeContext(
  opened: Opened & Pick<AppContext, 'config' | 'log'>,
  seal: Seal,
  { operator }: OperatorTokens,
): AppContext {
  const clock = systemClock
  const alarms = new Alarms(clock)
  const authentication = new TurnsOf(opened.store, 'authentication')
  const shared = {
    ...makeNodes({ ...opened, clock, alarms, seal }),
    ...opened,
    clock,
    alarms,
    secrets: new InstanceSecrets(seal),
    callbackTokens: new CallbackTokens(seal),
    webhookSecrets: new WebhookSecrets(seal),
    renderMessage: renderMessageEvent,
    messageChanges: new Changes(),
    eventChanges: new Changes(),
    deliveryChanges: new Changes(),
    keyRing: new KeyRing(authentication, clock),
    sessions: new SessionStore(authentication, clock, operator),
    metrics: new Metrics(),
  }
  return { ...shared, ...makeQuotas(shared) }
}

/** The other nodes, and what this one tells them. */
function makeNodes(
  opened: Opened & Pick<AppContext, 'config' | 'log' | 'clock' | 'alarms'> & { readonly seal: Seal },
) {
  const peers = new Peers({ ...opened, timing: timingFor(opened.config.POSTHORN_NODE_LEASE_MS) })
  const otherNodes = new OtherNodes({ ...opened, peers, answers: new Changes() })
  return {
    peers,
    otherNodes,
    duties: new Duties(opened),
    typingNotices: new TypingNotices({ ...opened, tell: (topic, word) => otherNodes.tell(topic, word) }),
    instanceChanges: new Changes((id) => otherNodes.tell('instance', id)),
    filesToFetch: new Changes((direction) => otherNodes.tell('file', direction)),
  }
}

/** Holds organizations to their quotas, and tells them when they reach one. */
function makeQuotas(shared: Omit<AppContext, 'quotas' | 'notices' | 'intake' | 'incomingCapacity'>) {
  const quotas = quotasOf(shared.config)
  const notices = new QuotaNotices({ ...shared, quotas })
  const intake = new FileIntake({ ...shared, quotas, notices })
  const incomingCapacity = new IncomingCapacity({ ...shared, quotas, notices })
  return { quotas, notices, intake, incomingCapacity }
}

function sharedCallbacksOf({ networks, callbackTokens }: AppContext) {
  const shared = [...networks.values()].filter(({ callbacks }) => callbacks?.shared)
  return (baseUrl: string) =>
    shared.map(({ title, network }) => {
      return { title, url: baseUrl + callbackPathOf(network, callbackTokens.ofOperator(network)) }
    })
}

/** The same for a part of the server that works for all organizations, and has turns of its own at the store. */
function inTurnsOf(app: AppContext, part: string) {
  return { ...app, store: new TurnsOf(app.store, part) }
}

/** Lets callers in, and records in the audit log what they change. */
function makeAccess(app: AppContext, operatorTokens: OperatorTokens, connections: Connections) {
  const { config, store, clock, alarms, keyRing, sessions } = app
  const { POSTHORN_BASE_URL: baseUrl, POSTHORN_ALLOWED_HOSTS: allowedHosts } = config
  const browserSessions = new BrowserSessions(sessions, baseUrl)
  const accessControl = new AccessControl({
    ...{ keyRing, operatorTokens, browserSessions, connections, alarms },
    linkPages: new LinkPages(new TurnsOf(store, 'link_pages'), clock),
    anonymousLimit: makeAnonymousLimit(app),
    hosts: [...(baseUrl === undefined ? [] : [new URL(baseUrl).hostname]), ...allowedHosts],
  })
  return { accessControl, browserSessions, auditTrail: new AuditTrail(store, clock) }
}

function makeShares({ config, log, metrics }: AppContext): Shares {
  return new Shares({
    ...shareLimits(config),
    onExceeded: (scope) => metrics.endedConnection(scope),
    onReached: ({ organizationId, limit, isNews }) => {
      metrics.reachedRate(limit)
      if (isNews)
        log.warn(
          { organization_id: organizationId, limit },
          'an organization receives more than its rate; its connections take turns, and the rest waits at the networks',
        )
    },
  })
}

/** Bounds the connections of callers, and the responses that they have not read. */
function makeCallers({ config, clock, alarms, metrics }: AppContext) {
  const unread = new UnreadBytes(fixedBounds.answerBytes.value)
  const connections = new Connections({
    addresses: new ClientAddresses(config.POSTHORN_TRUSTED_PROXIES),
    clock,
    alarms,
    most: config.POSTHORN_MAX_CONNECTIONS,
    perAddress: config.POSTHORN_ADDRESS_CONNECTIONS,
    onCut: (why) => metrics.cutConnection(why),
    unread,
  })
  return { unread, connections, responseMemory: new ResponseMemory({ unread, alarms, connections, metrics }) }
}

/** Returns the sources of the gauges, once everything is made that they are read from. */
function measuredParts(
  app: AppContext,
  {
    shares,
    connections,
    unread,
    supervisor,
    fileFetchers,
    deliverer,
  }: BackgroundWorkers & ReturnType<typeof makeCallers> & { readonly shares: Shares },
): MetricsSources {
  const { media, clock, networks, names, quotas } = app
  const store = new TurnsOf(app.store, 'metrics')
  const secondsSince = (at: number | null) => (at === null ? 0 : Math.max(0, clock.now() - at) / 1000)
  return {
    networks,
    build: { version, node: process.versions.node, store: app.node.isAlone ? 'sqlite' : 'postgres' },
    disk: () => diskSpace(app.config.POSTHORN_DATA),
    lastBackupAt: () => readLastBackup(store),
    webhooks: () => countTroubled(store, clock.now()),
    connections: () => connections.counts(),
    connectionMemory: () => shares.held,
    storeWaiting: () => store.waiting?.() ?? { read: 0, transaction: 0 },
    responses: () => unread.counts(),
    instancesByStatus: () => supervisor.countByStatus(),
    webhookAttempts: () => deliverer.underway,
    async webhookBacklog() {
      const { pending, oldestAt } = await wholeBacklog(store)
      return { depth: pending, oldestAgeSeconds: secondsSince(oldestAt) }
    },
    voiceConversions: () => media.voiceNotes.conversions,
    fileFetches: () => ({
      sent: fileFetchers.sent.underway,
      received: fileFetchers.received.underway,
    }),
    nameLookUps: () => names,
    nodes: () => ({
      trusted: Number(app.node.trusted),
      duties: app.duties.count,
      running: app.peers.running.length,
    }),
    usage: () => store.read(readUsageTotals, quotas),
    callbacks: () => store.read(countCallbacks, null),
    async queue() {
      const { depth, oldestAt, dueSince } = await store.read(readQueueTotals, null)
      const held = await countHeld(store)
      return { depth, held, oldestAgeSeconds: secondsSince(oldestAt), overdueSeconds: secondsSince(dueSince) }
    },
  }
}

/** Finds out the health of the server from what its metrics are read from. */
function makeHealth(
  { config, clock, node, ...app }: AppContext,
  sources: MetricsSources,
  { readiness, writeSeconds }: RunningState,
): HealthCheck {
  const store = new TurnsOf(app.store, 'metrics')
  const trustedFor = timingFor(config.POSTHORN_NODE_LEASE_MS).trusted
  return new HealthCheck({ ...sources, config, clock, node, store, trustedFor, readiness, writeSeconds })
}

/** Wakes the readers of an organization whenever a transaction adds to its events or deliveries: their topics are organization ids. */
function wakeOnCommit(
  { store, eventChanges, metrics, otherNodes }: AppContext,
  readers: readonly { wake(organizationId: string): void }[],
) {
  const wakeOrganization = (organizationId: string) => {
    eventChanges.notify(organizationId)
    for (const reader of readers) reader.wake(organizationId)
  }
  store.onCommit = (transactions, announced) => {
    metrics.committed(transactions)
    for (const organizationId of announced) {
      wakeOrganization(organizationId)
      otherNodes.tell('organization', organizationId)
    }
  }
  return wakeOrganization
}

function makeHttpClients({ config, clock, alarms, names }: AppContext): HttpClients {
  const allowedBlocks = config.POSTHORN_CONNECT_ALLOW_CIDRS
  return httpClients({ clock, alarms, names, allowedBlocks, userAgent: `Posthorn/${version}` })
}

function makeSupervisor(
  app: AppContext,
  parts: { readonly shares: Shares; readonly http: HttpClients },
): Supervisor {
  const { config, media } = app
  return new Supervisor({
    ...app,
    ...parts,
    elsewhere: app.otherNodes,
    isOnDuty: () => app.duties.has(housekeeping),
    callbackUrls: new CallbackUrls({ ...inTurnsOf(app, 'callbacks'), baseUrl: config.POSTHORN_BASE_URL }),
    random: Math.random,
    openFile: (file, turn) => media.library.open(file, turn),
    forgetFiles: () => void media.library.forgetAllExpired(),
    callbackTurns: makeCallbackTurns(),
    connectRate: config.POSTHORN_CONNECT_RATE,
    keyLimit: config.POSTHORN_KEY_LIMIT,
    keyTurns: makeKeyTurns(),
  })
}

/** Takes what networks post, and holds it to its limits. */
function makeCallbackIntake(app: AppContext, supervisor: Supervisor) {
  const callbackIntake = new CallbackIntake({
    ...inTurnsOf(app, 'callbacks'),
    limits: callbackLimits(app.config),
    supervisor,
  })
  return { callbackIntake, callbackLimit: makeCallbackLimit(app) }
}

function makeDeliverer(app: AppContext, isOurs: (organization: string) => boolean): Deliverer {
  const { otherNodes } = app
  const concurrency = fixedBounds.webhookConcurrency.value
  return new Deliverer({
    ...inTurnsOf(app, 'webhooks'),
    isOurs,
    tellNode: (organization) => otherNodes.tell('webhooks', organization),
    client: webhookClientOf(app, concurrency),
    concurrency,
    longestWait: fixedBounds.webhookLagMinutes.value * 60_000,
    random: Math.random,
  })
}
