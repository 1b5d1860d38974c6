import { randomUUID } from 'node:crypto'
import {
  changeGroupMembers,
  createGroup,
  decideJoinRequests,
  getGroup,
  getInviteLink,
  joinGroup,
  leaveGroup,
  listGroups,
  listJoinRequests,
  updateGroup,
} from '../../../contract/operations/conversations/group-operations.ts'
import type { Group, MemberResult } from '../../../contract/resources/people/group.ts'
import {
  type JoinDecision,
  joinDecisions,
  type MemberAction,
  memberActions,
} from '../../../contract/statuses.ts'
import { type Command, command, json, WrongUsage } from '../../command.ts'
import { type Cells, print, printJson, tableOf } from '../../output.ts'
import { everyPage } from '../../pages.ts'
import { serverClient, serverOptions } from '../../server-client.ts'
import { listed } from './contents.ts'
import { insist } from './insist.ts'

const columns: Cells<Group> = {
  ADDRESS: ({ address }) => address,
  SUBJECT: ({ subject }) => subject ?? '',
  MEMBERS: ({ size }) => (size === null ? '' : String(size)),
  ROLE: ({ role }) => role ?? '',
}

const subject = { type: 'string', value: 'TEXT', description: 'The name that people see.' } as const
const description = {
  type: 'string',
  value: 'TEXT',
  description: 'What the group says about itself.',
} as const
const members = {
  type: 'string',
  value: 'ADDRESSES',
  description: 'The addresses of people, separated by commas.',
} as const

/** `posthorn groups list`: the groups that the account of an instance is in. */
const listCommand = command({
  name: 'groups list',
  summary: 'List the groups of an instance, as its network shows them.',
  operands: ['INSTANCE'],
  options: { ...serverOptions, json },
  async run({ operands: [name = ''], options }) {
    const { client } = serverClient(options)
    const { all } = await everyPage((place) =>
      client.call(listGroups, { params: { name }, query: { ...place, limit: 200 } }),
    )
    if (options.json) printJson(all)
    else print(tableOf(all, columns))
  },
})

/** `posthorn groups show`: a group with its members. */
const showCommand = command({
  name: 'groups show',
  summary: 'Show a group with its members.',
  operands: ['INSTANCE', 'ADDRESS'],
  options: serverOptions,
  async run({ operands: [name = '', address = ''], options }) {
    const { client } = serverClient(options)
    printJson((await client.call(getGroup, { params: { name, address } })).body)
  },
})

/** `posthorn groups create`: a group with people in it. */
const createCommand = command({
  name: 'groups create',
  summary: 'Create a group.',
  operands: ['INSTANCE'],
  options: {
    ...{ subject, description, members },
    approval: { type: 'boolean', description: 'People can join only once they are approved.' },
    ...{ ...serverOptions, json },
  },
  async run({ operands: [name = ''], options }) {
    if (options.subject === undefined) throw new WrongUsage('a group needs its --subject')
    const { client } = serverClient(options)
    const about = {
      ...(options.description !== undefined && { description: options.description }),
      ...(options.approval && { approval: true }),
    }
    const body = { subject: options.subject, ...about, members: listed(options.members ?? '') }
    const once = { params: { name }, body, idempotencyKey: randomUUID() }
    showGroup((await insist(() => client.call(createGroup, once))).body, options.json)
  },
})

/** `posthorn groups join`: follows an invitation. */
const joinCommand = command({
  name: 'groups join',
  summary: 'Join the group that an invite link leads to.',
  operands: ['INSTANCE', 'LINK'],
  options: { ...serverOptions, json },
  async run({ operands: [name = '', invitation = ''], options }) {
    const { client } = serverClient(options)
    showGroup((await client.call(joinGroup, { params: { name }, body: { invitation } })).body, options.json)
  },
})

/** `posthorn groups rename`: gives a group another subject. */
const renameCommand = command({
  name: 'groups rename',
  summary: 'Change the subject of a group.',
  operands: ['INSTANCE', 'ADDRESS'],
  options: { subject, ...serverOptions },
  async run({ operands: [name = '', address = ''], options }) {
    if (options.subject === undefined) throw new WrongUsage('give the new --subject')
    const { client } = serverClient(options)
    await client.call(updateGroup, { params: { name, address }, body: { subject: options.subject } })
    print(`${address} renamed`)
  },
})

/** `posthorn groups describe`: changes what a group says about itself. */
const describeCommand = command({
  name: 'groups describe',
  summary: 'Change the description of a group.',
  operands: ['INSTANCE', 'ADDRESS'],
  options: { description, ...serverOptions },
  async run({ operands: [name = '', address = ''], options }) {
    if (options.description === undefined) throw new WrongUsage('give the new --description')
    const { client } = serverClient(options)
    const body = { description: options.description }
    await client.call(updateGroup, { params: { name, address }, body })
    print(`${address} described`)
  },
})

const summaries: Readonly<Record<MemberAction, string>> = {
  add: 'Add people to a group.',
  remove: 'Remove people from a group.',
  promote: 'Make members of a group admins.',
  demote: 'Make admins of a group ordinary members.',
}

/** A command about people and a group, which says of each person whether the network did it. */
const peopleCommand = (
  name: string,
  summary: string,
  act: (at: GroupPeople) => Promise<readonly MemberResult[]>,
) =>
  command({
    name: `groups ${name}`,
    summary,
    operands: ['INSTANCE', 'ADDRESS'],
    options: { members, ...serverOptions, json },
    async run({ operands: [instance = '', address = ''], options }) {
      const people = listed(options.members ?? '')
      if (people.length === 0) throw new WrongUsage('name the people with --members')
      const { client } = serverClient(options)
      showResults(await act({ client, params: { name: instance, address }, people }), options.json)
    },
  })

interface GroupPeople {
  readonly client: ReturnType<typeof serverClient>['client']
  readonly params: { readonly name: string; readonly address: string }
  readonly people: string[]
}

/** `posthorn groups add`, `remove`, `promote` and `demote`. */
const memberCommand = (action: MemberAction) =>
  peopleCommand(action, summaries[action], async ({ client, params, people }) => {
    const body = { action, members: people }
    return (await client.call(changeGroupMembers, { params, body })).body.data
  })

/** `posthorn groups requests`: the people who ask to join a group. */
const requestsCommand = command({
  name: 'groups requests',
  summary: 'List the people who ask to join a group.',
  operands: ['INSTANCE', 'ADDRESS'],
  options: serverOptions,
  async run({ operands: [name = '', address = ''], options }) {
    const { client } = serverClient(options)
    const { all } = await everyPage((place) =>
      client.call(listJoinRequests, { params: { name, address }, query: { ...place, limit: 200 } }),
    )
    printJson(all)
  },
})

const decisions: Readonly<Record<JoinDecision, string>> = {
  approve: 'Approve people who ask to join a group.',
  decline: 'Decline people who ask to join a group.',
}

/** `posthorn groups approve` and `decline`. */
const decideCommand = (action: JoinDecision) =>
  peopleCommand(action, decisions[action], async ({ client, params, people }) => {
    const body = { action, people }
    return (await client.call(decideJoinRequests, { params, body })).body.data
  })

/** `posthorn groups invite`: the link by which people join. */
const inviteCommand = command({
  name: 'groups invite',
  summary: 'Show the link with which people join a group.',
  operands: ['INSTANCE', 'ADDRESS'],
  options: {
    renew: { type: 'boolean', description: 'Create a new link, and invalidate earlier ones.' },
    ...serverOptions,
  },
  async run({ operands: [name = '', address = ''], options }) {
    const { client } = serverClient(options)
    const body = { renew: options.renew === true }
    print((await client.call(getInviteLink, { params: { name, address }, body })).body.url)
  },
})

/** `posthorn groups leave`: takes the account out of a group. */
const leaveCommand = command({
  name: 'groups leave',
  summary: 'Leave a group with the account of an instance.',
  operands: ['INSTANCE', 'ADDRESS'],
  options: serverOptions,
  async run({ operands: [name = '', address = ''], options }) {
    const { client } = serverClient(options)
    await client.call(leaveGroup, { params: { name, address } })
    print(`${address} left`)
  },
})

/** Commands about groups. */
export const groupCommands: readonly Command[] = [
  listCommand,
  showCommand,
  createCommand,
  joinCommand,
  renameCommand,
  describeCommand,
  ...memberActions.map(memberCommand),
  inviteCommand,
  requestsCommand,
  ...joinDecisions.map(decideCommand),
  leaveCommand,
]

/** Shows what became of each person, and fails if it is not done for all. */
function showResults(data: readonly MemberResult[], asJson: boolean | undefined): void {
  if (asJson) printJson(data)
  else
    for (const { input, result, error } of data)
      print(`${input} ${result}${error ? ` ${error.code}: ${error.detail}` : ''}`)
  if (data.some(({ result }) => result !== 'done')) process.exitCode = 1
}

function showGroup(group: Group, asJson: boolean | undefined): void {
  if (asJson) printJson(group)
  else print(`${group.address} ${group.subject ?? ''}`.trim())
}
