import { readFileSync } from 'node:fs'
import {
  createInstance,
  deleteInstance,
  getInstance,
  listInstances,
  restartInstance,
  startInstance,
  stopInstance,
} from '../../../contract/operations/instance-operations.ts'
import type { Instance } from '../../../contract/resources/instance.ts'
import { command, json, WrongUsage } from '../../command.ts'
import { type Cells, explain, print, printJson, tableOf } from '../../output.ts'
import { everyPage } from '../../pages.ts'
import { serverClient, serverOptions } from '../../server-client.ts'

/** Seconds for which a command waits until what it ordered is done. */
const waitSeconds = 20

const columns: Cells<Instance> = {
  NAME: ({ name }) => name,
  NETWORK: ({ network }) => network,
  STATUS: ({ status }) => status,
  'NEXT STEP': ({ action }) => action,
  ACCOUNT: ({ account }) => account?.address ?? '-',
  QUEUE: ({ queue }) => String(queue.depth),
}

function show(instance: Instance, asJson: boolean | undefined): void {
  if (asJson) {
    printJson(instance)
    return
  }
  print(tableOf([instance], columns))
  if (instance.reason) explain(`${instance.reason.code}: ${instance.reason.detail}`)
  if (instance.action === 'link') explain(`link its account with \`npx posthorn link ${instance.name}\``)
}

/** `posthorn instances list`. */
export const listInstancesCommand = command({
  name: 'instances list',
  summary: 'List the instances with their status, and what to do about each.',
  options: { ...serverOptions, json },
  async run({ options }) {
    const { client } = serverClient(options)
    const { all } = await everyPage((query) => client.call(listInstances, { query }))
    if (options.json) printJson(all)
    else print(tableOf(all, columns))
  },
})

/** `posthorn instances show`. */
export const showInstanceCommand = command({
  name: 'instances show',
  summary: 'Show one instance.',
  operands: ['NAME'],
  options: { ...serverOptions, json },
  async run({ operands: [name = ''], options }) {
    const { client } = serverClient(options)
    show((await client.call(getInstance, { params: { name } })).body, options.json)
  },
})

function objectIn(text: string, flag: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {}
  throw new WrongUsage(`${flag} takes a JSON object, such as {"address":"support@example.org"}`)
}

/** `posthorn instances create`. */
export const createInstanceCommand = command({
  name: 'instances create',
  summary: 'Create an instance, and wait until it is connected or a person must act.',
  operands: ['NAME'],
  options: {
    network: {
      type: 'string',
      value: 'NETWORK',
      description: 'The network. By default, the one that the operator chose.',
    },
    settings: {
      type: 'string',
      value: 'JSON',
      description: 'The settings of the network, as a JSON object.',
    },
    'credentials-file': {
      type: 'string',
      value: 'FILE',
      description: 'The file with the credentials, as a JSON object. `-` is standard input.',
    },
    ...{ ...serverOptions, json },
  },
  async run({ operands: [name = ''], options }) {
    const { network, settings, 'credentials-file': file } = options
    const { client } = serverClient(options)
    const body = {
      name,
      ...(network !== undefined && { network }),
      ...(settings !== undefined && { settings: objectIn(settings, '--settings') }),
      ...(file !== undefined && {
        credentials: objectIn(readFileSync(file === '-' ? 0 : file, 'utf8'), '--credentials-file'),
      }),
    }
    show((await client.call(createInstance, { body, waitSeconds })).body, options.json)
  },
})

const orders = {
  start: { operation: startInstance, summary: 'Start an instance, and wait until it is connected.' },
  stop: { operation: stopInstance, summary: 'Stop an instance. Its messages wait in its queue.' },
  restart: { operation: restartInstance, summary: 'Close the connection of an instance, and open it again.' },
} as const

/** `posthorn instances start`, `stop` and `restart`. */
export const orderCommands = Object.entries(orders).map(([order, { operation, summary }]) =>
  command({
    name: `instances ${order}`,
    summary,
    operands: ['NAME'],
    options: { ...serverOptions, json },
    async run({ operands: [name = ''], options }) {
      const { client } = serverClient(options)
      show((await client.call(operation, { params: { name }, waitSeconds })).body, options.json)
    },
  }),
)

/** `posthorn instances delete`. */
export const deleteInstanceCommand = command({
  name: 'instances delete',
  summary: 'Remove an instance: its queue is canceled, and its account unlinked.',
  operands: ['NAME'],
  options: serverOptions,
  async run({ operands: [name = ''], options }) {
    const { client } = serverClient(options)
    await client.call(deleteInstance, { params: { name } })
    print(`removing ${name}`)
  },
})
