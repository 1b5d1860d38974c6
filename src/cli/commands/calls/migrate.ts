import { readSecretFile } from '../../../runtime/config/secret-file.ts'
import { command, json, Refusal } from '../../command.ts'
import { carryOut, type Migration, presentAt } from '../../migration/carry-out.ts'
import { evolutionGateway } from '../../migration/evolution.ts'
import { printable, type SourceGateway } from '../../migration/gateway.ts'
import { type Plan, type PlannedInstance, type PlannedWebhook, planFor } from '../../migration/plan.ts'
import { sourceServer } from '../../migration/source-server.ts'
import { wahaGateway } from '../../migration/waha.ts'
import { type Cells, explain, print, printJson, tableOf } from '../../output.ts'
import { checkedUrl, serverClient, serverOptions } from '../../server-client.ts'

/** `posthorn migrate evolution` and `posthorn migrate waha`. Accounts are linked by people: no gateway gives its sessions away. */
export const migrateCommands = [evolutionGateway, wahaGateway].map((gateway) =>
  command({
    name: `migrate ${gateway.word}`,
    summary: `Create the instances and webhooks of a server of ${gateway.name}. Existing ones are left alone.`,
    options: {
      from: {
        type: 'string',
        value: 'URL',
        description: `The URL of the server of ${gateway.name}.`,
        required: true,
      },
      'key-file': {
        type: 'string',
        value: 'FILE',
        description: `The file with the key of that server. By default, the key is in ${gateway.keyVariable}.`,
      },
      'dry-run': { type: 'boolean', description: 'Show what would be created, and create nothing.' },
      profile: serverOptions.profile,
      server: {
        ...serverOptions.server,
        description:
          'The URL of the Posthorn to carry them over to. By default, the one that runs on the data folder.',
      },
      'server-key-file': {
        type: 'string',
        value: 'FILE',
        description:
          'The file with the API key of that Posthorn. By default, the admin key in the data folder.',
      },
      json,
    },
    async run({ options }) {
      const source = sourceServer(gateway, checkedUrl(options.from), sourceKey(gateway, options['key-file']))
      const { profile, server, 'server-key-file': keyFile } = options
      const { client, url } = serverClient({ profile, server, 'key-file': keyFile }, '--server-key-file')
      const accounts = await gateway.accountsOf(source)
      if (new Set(accounts.map(({ name }) => name)).size < accounts.length)
        throw new Refusal(`${gateway.name} lists two accounts of one name, which no server of it does`)
      const plan = planFor(accounts, gateway.label, await presentAt(client))
      const isDry = options['dry-run'] === true
      if (!options.json) showPlan(plan, `${gateway.name} → ${url}`)
      const done = isDry ? undefined : await carryOut(client, plan, gateway.label)
      const refused = [...(done?.instances ?? []), ...(done?.webhooks ?? [])].some((one) => one.refused)
      if (refused) process.exitCode = 1
      if (options.json) printJson(resultOf(plan, done))
      else if (done) showDone(done, gateway, flagsOf(options))
      else explain('nothing was created; run it without --dry-run to do so')
    },
  }),
)

/** The key of the other gateway. It is never taken from the command line, where others could see it. */
function sourceKey({ name, keyVariable }: SourceGateway, file: string | undefined): string {
  const key = (file === undefined ? process.env[keyVariable] : readSecretFile(file))?.trim()
  if (!key)
    throw new Refusal(
      `there is no key of ${name}; name a file that holds it with --key-file, or set ${keyVariable}`,
    )
  if (key.startsWith('phk_'))
    throw new Refusal(`this is a key of Posthorn; --key-file and ${keyVariable} hold the key of ${name}`)
  if (!/^[\x21-\x7e]+$/.test(key)) throw new Refusal(`the key of ${name} has characters that no key has`)
  return key
}

/** A URL without the parts that most often hold secrets. */
function shownUrl(text: string): string {
  const url = URL.parse(text)
  if (!url) return printable(text.slice(0, 40))
  return `${url.origin}${url.pathname}${url.search === '' ? '' : '?…'}`
}

const instanceColumns: Cells<PlannedInstance> = {
  THERE: ({ account }) => printable(account.name),
  'STATUS THERE': ({ account }) => account.status,
  HERE: ({ name }) => name,
  NETWORK: ({ account }) => account.network,
  STEP: ({ step }) => step,
}

const webhookColumns: Cells<PlannedWebhook> = {
  WEBHOOK: ({ url }) => shownUrl(url),
  EVENTS: ({ events }) => events?.join(',') ?? 'all',
  INSTANCES: ({ instances }) => instances.join(','),
  STEP: ({ step }) => step,
}

function showPlan({ instances, webhooks }: Plan, title: string): void {
  print(`${title}: ${instances.length} instances, ${webhooks.length} webhooks`)
  if (instances.length > 0) print(tableOf(instances, instanceColumns))
  if (webhooks.length > 0) print(`\n${tableOf(webhooks, webhookColumns)}`)
  const gaps = instances.filter(({ account }) => account.gaps.length > 0)
  if (gaps.length > 0) print('\nnot carried over (the guide says what there is for it here):')
  for (const { name, account } of gaps) print(`  ${name}: ${account.gaps.join(', ')}`)
  for (const { name, account, step } of instances)
    if (step === 'by hand') explain(`${name} is not created: ${account.byHand}`)
}

/** The flags by which other commands call the same Posthorn. */
function flagsOf(given: {
  readonly profile: string | undefined
  readonly server: string | undefined
  readonly 'server-key-file': string | undefined
}): string {
  const { profile, server, 'server-key-file': keyFile } = given
  if (profile !== undefined) return ` --profile ${profile}`
  return `${server === undefined ? '' : ` --server ${server}`}${keyFile === undefined ? '' : ` --key-file ${keyFile}`}`
}

function showDone({ instances, webhooks }: Migration, { guide }: SourceGateway, flags: string): void {
  print('')
  for (const { planned, refused } of instances)
    print(refused ? `${planned.name} was refused: ${refused}` : `created ${planned.name}`)
  for (const { planned, refused, secret } of webhooks) {
    const url = shownUrl(planned.url)
    print(refused ? `the webhook to ${url} was refused: ${refused}` : `created the webhook to ${url}`)
    if (secret) print(`  its secret, which is shown only now: ${secret}`)
  }
  const created = instances.filter(({ refused }) => refused === undefined)
  if (created.length > 0) print('\nlink each account, when its receiver understands the events of Posthorn:')
  for (const { planned } of created) print(`  npx posthorn link ${planned.name}${flags}`)
  print(`${guide} says how to change the requests and the receivers of your program`)
}

function resultOf(plan: Plan, done: Migration | undefined) {
  const refusedOf = (list: Migration['instances' | 'webhooks'], planned: object) => {
    const found = list.find((one) => one.planned === planned)
    return found === undefined ? {} : { refused: found.refused ?? null, secret: found.secret }
  }
  return {
    instances: plan.instances.map((planned) => ({
      there: planned.account.name,
      here: planned.name,
      network: planned.account.network,
      step: planned.step,
      gaps: planned.account.gaps,
      ...refusedOf(done?.instances ?? [], planned),
    })),
    webhooks: plan.webhooks.map((planned) => ({
      url: shownUrl(planned.url),
      events: planned.events,
      instances: planned.instances,
      step: planned.step,
      ...refusedOf(done?.webhooks ?? [], planned),
    })),
  }
}
