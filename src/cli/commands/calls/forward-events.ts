import { whyMissing } from '../../../runtime/config/optional-package.ts'
import { readSecretFile } from '../../../runtime/config/secret-file.ts'
import { command, Refusal, WrongUsage } from '../../command.ts'
import { choiceOf, choiceOptions, untilInterrupted } from '../../follow-events.ts'
import { amqpPackage, connectAmqp } from '../../forwarding/amqp.ts'
import { type Broker, shownTarget, type Target } from '../../forwarding/broker.ts'
import { CursorFile } from '../../forwarding/cursor-file.ts'
import { forwardEvents } from '../../forwarding/forward.ts'
import { connectNats, natsPackages } from '../../forwarding/nats.ts'
import { explain } from '../../output.ts'
import { serverClient, serverOptions } from '../../server-client.ts'

interface BrokerKind {
  readonly name: string
  readonly packages: readonly string[]
  readonly connect: (target: Target) => Promise<Broker>
}

const amqp: BrokerKind = { name: 'AMQP', packages: [amqpPackage], connect: connectAmqp }
const nats: BrokerKind = { name: 'NATS', packages: natsPackages, connect: connectNats }

/** Brokers by the schemes of their URLs. */
const kinds: Readonly<Record<string, BrokerKind>> = {
  'amqp:': amqp,
  'amqps:': amqp,
  'nats:': nats,
  'tls:': nats,
}

const defaultName = 'posthorn.events'
const { types, instances } = choiceOptions

/** `posthorn events forward`: publishes the events at a broker, each at least once and in order. */
export const forwardEventsCommand = command({
  name: 'events forward',
  summary: 'Publish the events of an organization to RabbitMQ or NATS, each at least once and in order.',
  options: {
    to: {
      type: 'string',
      value: 'URL',
      description:
        'The broker: amqp://, amqps://, nats:// or tls://. If its URL contains a password, use --to-file.',
    },
    'to-file': { type: 'string', value: 'FILE', description: 'A file that contains the URL of the broker.' },
    cursor: {
      type: 'string',
      value: 'FILE',
      required: true,
      description:
        'The file that stores how far the broker has confirmed events; it is created if necessary.',
    },
    name: {
      type: 'string',
      value: 'NAME',
      description: `The exchange, or the beginning of the subjects. By default, ${defaultName}.`,
    },
    'from-oldest': {
      type: 'boolean',
      description:
        'Begin with the oldest stored event, if there is no cursor yet. By default, begin with new events.',
    },
    'drop-unrouted': {
      type: 'boolean',
      description: 'Drop events for which no queue is bound to the exchange, instead of waiting for a queue.',
    },
    types,
    instances,
    ...serverOptions,
  },
  async run({ options }) {
    const target = targetOf(options)
    const kind = kinds[target.url.protocol]
    if (!kind) throw new WrongUsage('the URL of a broker begins with amqp://, amqps://, nats:// or tls://')
    const missing = whyMissing(kind.packages, `forwarding to ${kind.name}`)
    if (missing) throw new Refusal(missing)
    const { client, url } = serverClient(options)
    const shown = shownTarget(target)
    const cursorFile = new CursorFile(options.cursor, shown)
    explain(`forwarding the events of ${url} to ${shown}; end it with Ctrl-C`)
    await forwardEvents({
      client,
      cursorFile,
      connect: () => kind.connect(target),
      choice: choiceOf(options),
      fromOldest: options['from-oldest'] ?? false,
      signal: untilInterrupted(),
    })
  },
})

interface TargetOptions {
  readonly to: string | undefined
  readonly 'to-file': string | undefined
  readonly name: string | undefined
  readonly 'drop-unrouted': boolean | undefined
}

function targetOf({ to, name = defaultName, ...options }: TargetOptions): Target {
  const file = options['to-file']
  const text = to ?? (file === undefined ? undefined : readSecretFile(file))
  if (!text) {
    if (file === undefined) throw new WrongUsage('name the broker with --to URL, or with --to-file FILE')
    throw new Refusal(`${file} is not there, or empty; it must hold the URL of the broker`)
  }
  if (!URL.canParse(text)) throw new WrongUsage('the URL of the broker cannot be read')
  const url = new URL(text)
  if (to !== undefined && (url.password || (kinds[url.protocol] === nats && url.username)))
    throw new WrongUsage(
      'others on this machine can see a password on the command line; put the URL into a file, and name that with --to-file',
    )
  if (!/^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/.test(name) || name.length > 100)
    throw new WrongUsage('--name is made of letters, digits, - and _, and of dots between them')
  return { url, name, dropsUnrouted: options['drop-unrouted'] ?? false }
}
