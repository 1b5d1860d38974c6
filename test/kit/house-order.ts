import { dirname } from 'node:path'
import { isModule } from './source-tree.ts'

/** The parts of a folder, from left to right: a part imports only from itself and from those to its left. */
type Order = readonly (readonly string[])[]

/** Stands for every folder that has no place of its own. */
const anyFolder = '*/'

/** The order of a network whose folder has none of its own. */
const networkOrder: Order = [['*'], [anyFolder], ['connection.ts'], ['driver.ts'], ['index.ts']]

/**
 * The order of each folder that has rooms. Folders that share a place do not see each other; files do. A file that stands in
 * the folder itself has the place `*`, unless it is named because it stands elsewhere.
 */
const orders: Readonly<Record<string, Order>> = {
  src: [
    ['runtime'],
    ['version.ts', 'compile-cache.js', 'garbage.js', 'node-version.js'],
    ['net'],
    ['contract'],
    ['locales'],
    ['web'],
    ['store'],
    ['nodes'],
    ['organizations'],
    ['events'],
    ['media'],
    ['networks'],
    ['messages'],
    ['instances'],
    ['server'],
    ['gateway'],
    ['backup'],
    ['cli'],
    ['main.js'],
  ],
  'src/runtime': [['*'], ['secrets', 'system', 'text', 'timers'], ['config'], ['limits']],
  'src/runtime/config': [['setting.ts', 'setting-values.ts'], ['settings'], ['*']],
  'src/net': [['*'], ['guard', 'resolve', 'tunnel'], ['dial'], ['http'], ['fetch']],
  'src/contract': [
    ['type.ts'],
    ['scalars.ts', 'statuses.ts', 'codes.ts'],
    ['problems'],
    ['resources'],
    ['*'],
    ['operations', 'client'],
    ['operations.ts'],
    ['openapi'],
  ],
  'src/contract/resources': [['people'], ['*']],
  'src/contract/operations': [['*'], ['conversations', 'operator']],
  'src/locales': [['*'], ['en'], ['es', 'pt-BR'], ['index.ts']],
  'src/locales/en': [['console'], ['*']],
  'src/locales/es': [['codes', 'console'], ['*']],
  'src/locales/pt-BR': [['codes', 'console'], ['*']],
  'src/web': [['browser'], ['console', 'link-page']],
  'src/web/console': [['core'], ['words'], ['parts'], ['screens'], ['shell'], ['main.ts']],
  'src/web/console/core': [['reach'], ['operations.ts'], ['contents'], ['*'], ['hooks']],
  'src/web/console/shell': [['areas.ts'], ['finder'], ['*']],
  'src/web/console/parts': [['*'], ['forms'], ['lists'], ['message'], ['contents']],
  'src/web/console/screens': [
    [
      'charts',
      'conversations',
      'events',
      'groups',
      'instances',
      'keys',
      'messages',
      'nodes',
      'overview',
      'server',
      'sign-in',
      'webhooks',
    ],
    ['parts'],
  ],
  'src/web/console/screens/conversations': [['writing.ts'], ['composing', 'list'], ['*']],
  'src/store': [['tables'], ['*'], ['migrations'], ['thread'], ['sqlite', 'postgres']],
  'src/store/migrations': [['step.ts'], ['first'], ['*']],
  'src/nodes': [['*'], ['operations', 'rates']],
  'src/organizations': [['*'], ['overview'], ['operations']],
  'src/events': [
    ['stretches', 'live'],
    ['context.ts', 'event.ts', 'webhook-secrets.ts'],
    ['statistics'],
    ['*'],
    ['delivery'],
    ['webhook-store.ts'],
    ['operations'],
  ],
  'src/events/delivery': [['attempt'], ['queue'], ['*'], ['deliverer']],
  'src/media': [['store'], ['draft.ts'], ['content'], ['*']],
  'src/networks/driver': [['account.ts', 'outcome.ts'], ['abilities'], ['*']],
  'src/networks/kit': [['*'], ['people']],
  'src/networks': [['driver'], ['kit'], [anyFolder], ['networks.ts'], ['*']],
  'src/networks/telegram': [
    ['words'],
    ['*'],
    ['incoming'],
    ['chats', 'sending'],
    ['connection.ts'],
    ['driver.ts'],
    ['index.ts'],
  ],
  'src/networks/whatsapp': [
    ['words'],
    ['codes.ts', 'errors.ts', 'limits.ts'],
    ['media'],
    ['address.ts', 'message-id.ts'],
    ['content'],
    ['incoming'],
    ['groups'],
    ['*'],
    ['processes'],
    ['asking', 'linking', 'sending'],
    ['dropped.ts', 'connection.ts'],
    ['driver.ts'],
    ['index.ts'],
    ['worker'],
  ],
  'src/networks/whatsapp/worker': [
    ['keys.ts', 'cache.ts'],
    ['baileys'],
    ['outgoing'],
    ['asking', 'history'],
    ['*'],
  ],
  'src/networks/whatsapp/worker/baileys': [['bounds', 'incoming'], ['*']],
  'src/networks/whatsapp-cloud': [
    ['words'],
    ['*'],
    ['graph'],
    ['errors.ts'],
    ['sending'],
    ['incoming'],
    ['account.ts', 'callbacks.ts', 'files.ts', 'operator-settings.ts'],
    ['groups'],
    ['connection.ts'],
    ['driver.ts'],
    ['index.ts'],
  ],
  'src/networks/xmpp': [
    ['words'],
    ['*'],
    ['stanzas'],
    ['errors.ts'],
    ['sending', 'session', 'stream'],
    ['upload', 'incoming'],
    ['pictures', 'rooms'],
    ['login'],
    ['intake.ts'],
    ['connection.ts'],
    ['driver.ts'],
    ['index.ts'],
  ],
  'src/messages': [
    ['message-times.ts'],
    ['content'],
    ['message.ts', 'message-file.ts'],
    ['contacts'],
    ['*'],
    ['list'],
    ['history'],
    ['marketing'],
    ['outbox'],
    ['files', 'inbox'],
    ['people'],
    ['sending'],
    ['operations'],
    ['retention.ts', 'transactions.ts'],
  ],
  'src/messages/list': [['*'], ['conversations']],
  'src/messages/operations': [['sending'], ['*']],
  'src/messages/outbox': [['queue'], ['accept', 'dispatch', 'receipts', 'sweep'], ['recovery']],
  'src/instances': [
    ['context.ts', 'credentials.ts'],
    ['callbacks', 'keys', 'link-pages', 'pictures'],
    ['*'],
    ['groups'],
    ['connection', 'reports'],
    ['linking'],
    ['lifecycle'],
    ['operations'],
  ],
  'src/instances/operations': [['*'], ['groups', 'linking'], ['index.ts']],
  'src/server/access': [['sessions'], ['*']],
  'src/server': [
    ['body', 'paths'],
    ['read-call.ts', 'audit-trail.ts', 'known-request.ts'],
    ['connections'],
    ['access', 'metrics'],
    ['health'],
    ['operations'],
    ['responses'],
    ['console'],
    ['docs'],
    ['server-context.ts'],
    ['perform.ts'],
    ['mcp'],
    ['*'],
  ],
  'src/cli/commands': [['calls'], ['*']],
  'src/cli': [
    ['*'],
    ['examinations', 'forwarding', 'migration'],
    ['store.ts'],
    ['commands'],
    ['command-line.ts'],
    ['posthorn.js'],
  ],
}

/** Folders that a network may see beside its own and the shared ones of `networks`. */
const seenByNetworks = ['contract', 'runtime', 'net', 'media', 'locales']

/** The folders of `networks` that are no network: the interface of drivers, and what several of them use. */
export const sharedByNetworks = ['driver', 'kit']

/** Returns the files of the program that have no place, and the places at which nothing stands. */
export function misplaced(paths: readonly string[]): string[] {
  const named = Object.entries(orders).flatMap(([folder, order]) =>
    order.flat().flatMap((part) => (part === '*' || part === anyFolder ? [] : [`${folder}/${part}`])),
  )
  const folders = new Set(paths.flatMap(foldersOf))
  const there = new Set([...paths, ...folders])
  const unplaced = [...there].filter((path) => path !== 'src' && placeIn(dirname(path), path) === undefined)
  return [
    ...unplaced.map((path) => `${path} has no place in ${dirname(path)}: give it one in house-order.ts`),
    ...named
      .filter((path) => !there.has(path))
      .map((path) => `${path} has a place in house-order.ts, but is not there`),
  ]
}

/** Returns the reason why one file of the program may not import another; undefined if it may. */
export function directionFault(path: string, target: string): string | undefined {
  if (!target.startsWith('src/') || target.endsWith('.test.ts'))
    return 'the program does not depend on its tests'
  const network = networkOf(path)
  if (network !== undefined && !seenByNetwork(network, target))
    return `a network sees networks/driver, networks/kit, its own folder, and ${seenByNetworks.join(', ')}`
  const folder = foldersOf(path).find(
    (known) => target.startsWith(`${known}/`) && wrongWay(known, path, target),
  )
  if (folder === undefined) return undefined
  const way = orders[folder]?.map((parts) => parts.join('/')).join(' → ')
  return `in ${folder}, imports go from right to left in ${way}; pass the value down, or move what is needed`
}

/** The folders that a file is in, from the outermost. */
function foldersOf(path: string): string[] {
  const names = path.split('/').slice(0, -1)
  return names.map((_, index) => names.slice(0, index + 1).join('/'))
}

/** Returns the part of a folder that a path is in, and its rank from left to right; undefined if it has no place there. */
function placeIn(folder: string, path: string): { part: string; rank: number } | undefined {
  const part = path.slice(folder.length + 1).split('/')[0] ?? ''
  const order = orders[folder] ?? (isNetwork(folder) ? networkOrder : [['*']])
  const own = order.findIndex((parts) => parts.includes(part))
  const other = isModule(part) ? '*' : anyFolder
  const rank = own < 0 ? order.findIndex((parts) => parts.includes(other)) : own
  return rank < 0 ? undefined : { part, rank }
}

function wrongWay(folder: string, path: string, target: string): boolean {
  const [here, there] = [placeIn(folder, path), placeIn(folder, target)]
  if (!here || !there || here.part === there.part) return false
  return (
    there.rank > here.rank || (there.rank === here.rank && !(isModule(here.part) && isModule(there.part)))
  )
}

/** The folder of the network that a file belongs to. */
function networkOf(path: string): string | undefined {
  const folder = /^(src\/networks\/([^/]+)\/)/.exec(path)
  return folder && !sharedByNetworks.includes(folder[2] as string) ? folder[1] : undefined
}

function isNetwork(folder: string): boolean {
  return networkOf(`${folder}/`) === `${folder}/`
}

function seenByNetwork(folder: string, target: string): boolean {
  const [, part = ''] = target.split('/')
  const network = networkOf(target)
  return part === 'networks' ? network === undefined || network === folder : seenByNetworks.includes(part)
}
