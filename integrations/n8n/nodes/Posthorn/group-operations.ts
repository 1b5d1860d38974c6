import type { IDataObject } from 'n8n-workflow'
import { call } from './call'
import { keyOf } from './idempotency'
import { listed } from './lists'
import { pathOfGroup, pathOfInstance } from './paths'
import { listOf, type Operation, textIn } from './sending'

const listGroups: Operation = (functions, itemIndex) =>
  listed(functions, itemIndex, `${pathOfInstance(functions, itemIndex)}/groups`)

const getGroup: Operation = (functions, itemIndex) =>
  call(functions, { method: 'GET', path: pathOfGroup(functions, itemIndex), itemIndex })

/** Makes one group for an item, also if n8n tries the same run again. */
const createGroup: Operation = (functions, itemIndex) => {
  const { approval, description } = functions.getNodeParameter('groupOptions', itemIndex, {}) as IDataObject
  const body = {
    subject: textIn(functions, 'subject', itemIndex),
    members: listOf(functions.getNodeParameter('members', itemIndex, '')),
    ...(description && { description }),
    ...(approval && { approval }),
  }
  const path = `${pathOfInstance(functions, itemIndex)}/groups`
  const headers = { 'Idempotency-Key': keyOf(functions, itemIndex) }
  return call(functions, { method: 'POST', path, body, headers, itemIndex })
}

const joinGroup: Operation = (functions, itemIndex) => {
  const path = `${pathOfInstance(functions, itemIndex)}/groups/join`
  const body = { invitation: textIn(functions, 'invitation', itemIndex).trim() }
  return call(functions, { method: 'POST', path, body, itemIndex })
}

/** Returns that it was done: the server answers without a body. */
const changing =
  (field: 'subject' | 'description', done: string): Operation =>
  async (functions, itemIndex) => {
    const body = { [field]: textIn(functions, field, itemIndex) }
    await call(functions, { method: 'PATCH', path: pathOfGroup(functions, itemIndex), body, itemIndex })
    return { [done]: true }
  }

/** Returns an item for each person, because a network may refuse some of them. */
const deciding =
  (part: string, field: string, action: string): Operation =>
  async (functions, itemIndex) => {
    const path = `${pathOfGroup(functions, itemIndex)}/${part}`
    const body = { action, [field]: listOf(functions.getNodeParameter('members', itemIndex, '')) }
    const { data } = await call(functions, { method: 'POST', path, body, itemIndex })
    return data as IDataObject[]
  }

const getInviteLink: Operation = (functions, itemIndex) => {
  const path = `${pathOfGroup(functions, itemIndex)}/invite-link`
  const body = { renew: Boolean(functions.getNodeParameter('renew', itemIndex, false)) }
  return call(functions, { method: 'POST', path, body, itemIndex })
}

const listRequests: Operation = (functions, itemIndex) =>
  listed(functions, itemIndex, `${pathOfGroup(functions, itemIndex)}/requests`)

const leaveGroup: Operation = async (functions, itemIndex) => {
  await call(functions, { method: 'POST', path: `${pathOfGroup(functions, itemIndex)}/leave`, itemIndex })
  return { left: true }
}

export const groupOperations: Readonly<Record<string, Operation>> = {
  addMembers: deciding('members', 'members', 'add'),
  approveRequests: deciding('requests', 'people', 'approve'),
  create: createGroup,
  declineRequests: deciding('requests', 'people', 'decline'),
  demoteMembers: deciding('members', 'members', 'demote'),
  describe: changing('description', 'described'),
  get: getGroup,
  getAll: listGroups,
  getInviteLink,
  getRequests: listRequests,
  join: joinGroup,
  leave: leaveGroup,
  promoteMembers: deciding('members', 'members', 'promote'),
  removeMembers: deciding('members', 'members', 'remove'),
  rename: changing('subject', 'renamed'),
}
