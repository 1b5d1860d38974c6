import { writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import {
  forgetContact,
  getContact,
  getContactPicture,
  listContacts,
} from '../../../contract/operations/conversation-operations.ts'
import { checkAddresses } from '../../../contract/operations/instance-operations.ts'
import type { Contact } from '../../../contract/resources/contact.ts'
import { type Command, command, json, Refusal, WrongUsage } from '../../command.ts'
import { type Cells, explain, print, printJson, readableTime, tableOf } from '../../output.ts'
import { everyPage } from '../../pages.ts'
import { serverClient, serverOptions } from '../../server-client.ts'
import { listed } from './contents.ts'

const columns: Cells<Contact> = {
  ADDRESS: ({ address }) => address,
  NAME: ({ name, username }) => name ?? username ?? '',
  MARKETING: ({ marketing }) => marketing ?? '',
  'LAST MESSAGE': ({ last_message_at: at }) => (at === null ? '' : readableTime(Date.parse(at))),
}

/** People that are listed at most: a person cannot read more, and a program asks page by page. */
const maxListed = 1_000

/** `posthorn contacts list`: the people who wrote to an instance. */
const listCommand = command({
  name: 'contacts list',
  summary: 'List the people who have written to an instance.',
  operands: ['INSTANCE'],
  options: {
    search: {
      type: 'string',
      value: 'TEXT',
      description: 'Only people whose name or address contains this.',
    },
    ...{ ...serverOptions, json },
  },
  async run({ operands: [name = ''], options }) {
    const { client } = serverClient(options)
    const filter = options.search === undefined ? {} : { search: options.search }
    const { all, isMore } = await everyPage(
      (place) => client.call(listContacts, { params: { name }, query: { ...filter, ...place, limit: 200 } }),
      maxListed,
    )
    if (options.json) printJson(all)
    else print(tableOf(all, columns))
    if (isMore) explain('there are more: narrow them with --search')
  },
})

/** `posthorn contacts show`: what is known of a person. */
const showCommand = command({
  name: 'contacts show',
  summary: 'Show what is known about a person.',
  operands: ['INSTANCE', 'ADDRESS'],
  options: serverOptions,
  async run({ operands: [name = '', address = ''], options }) {
    const { client } = serverClient(options)
    printJson((await client.call(getContact, { params: { name, address } })).body)
  },
})

/** `posthorn contacts picture`: the picture that a person, or a group, shows. */
const pictureCommand = command({
  name: 'contacts picture',
  summary: 'Save the picture of a person or a group, as their network shows it.',
  operands: ['INSTANCE', 'ADDRESS'],
  options: {
    output: { type: 'string', value: 'FILE', description: 'The file to write.', required: true },
    ...serverOptions,
  },
  async run({ operands: [name = '', address = ''], options: { output, ...options } }) {
    const { client } = serverClient(options)
    const { bytes } = await client.call(getContactPicture, { params: { name, address } })
    await writeFile(output, bytes ?? new Uint8Array()).catch((error: Error) => {
      throw new Refusal(`the file ${output} cannot be written: ${error.message}`)
    })
    print(`saved to ${output}`)
  },
})

/** `posthorn contacts check`: whether addresses exist at the network. */
const checkCommand = command({
  name: 'contacts check',
  summary:
    'Ask the network of an instance whether addresses exist. Check only a few: networks ban accounts that ask about many.',
  operands: ['INSTANCE', 'ADDRESSES'],
  options: { ...serverOptions, json },
  async run({ operands: [name = '', given = ''], options }) {
    const addresses = listed(given)
    if (addresses.length === 0) throw new WrongUsage('name the addresses, separated by commas')
    const { client } = serverClient(options)
    const { data } = (await client.call(checkAddresses, { params: { name }, body: { addresses } })).body
    if (options.json) printJson(data)
    else
      for (const { input, address, exists } of data)
        print(`${input} ${exists}${address === null || address === input ? '' : ` ${address}`}`)
  },
})

/** `posthorn contacts forget`: empties what a person wrote, and what was written to them. */
const forgetCommand = command({
  name: 'contacts forget',
  summary:
    'Forget a person: erase the contents of all messages with them in an instance. This cannot be undone.',
  operands: ['INSTANCE', 'ADDRESS'],
  options: {
    yes: { type: 'boolean', description: 'Do not ask whether you are sure.' },
    ...serverOptions,
  },
  async run({ operands: [name = '', address = ''], options }) {
    if (!options.yes) await confirm(name, address)
    const { client } = serverClient(options)
    await client.call(forgetContact, { params: { name, address } })
    print(`forgetting ${address}`)
  },
})

/** Asks a person to type the address again; throws if they do not, or if there is no terminal to ask at. */
async function confirm(name: string, address: string): Promise<void> {
  if (!process.stdin.isTTY) throw new WrongUsage('this cannot be undone; add --yes if you are sure')
  explain(`All messages with ${address} in ${name} will be emptied. This cannot be undone.`)
  const reader = createInterface({ input: process.stdin, output: process.stderr })
  try {
    if ((await reader.question('Type the address to go on: ')).trim() === address) return
  } finally {
    reader.close()
  }
  throw new Refusal('that is another address; nothing was done')
}

/** Commands about people. */
export const contactCommands: readonly Command[] = [
  listCommand,
  showCommand,
  pictureCommand,
  checkCommand,
  forgetCommand,
]
