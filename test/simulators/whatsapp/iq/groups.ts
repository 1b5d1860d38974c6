import type { Account } from '../accounts/account.ts'
import { parseJid } from '../accounts/jid.ts'
import { Group, newGroupId } from '../messages/group.ts'
import { comeIn, goOut, tellOfGroup } from '../messages/group-news.ts'
import { groupNode, participantNode } from '../messages/group-nodes.ts'
import { answerRequests, askToJoin, requestList, tellAsker } from '../messages/join-requests.ts'
import type { WhatsApp } from '../whatsapp.ts'
import { children, type Node, node, text } from '../wire/node.ts'
import { type Answer, firstChild, type Question } from './question.ts'

/** UTF-16 units of a subject (https://faq.whatsapp.com/, "How to create and invite into a group"). */
const longestSubject = 100
/** UTF-16 units of a description (https://faq.whatsapp.com/, "How to change group info"). */
const longestDescription = 2_048

const forbidden: Answer = { code: 403, text: 'forbidden' }
const missing: Answer = { code: 404, text: 'item-not-found' }
const unacceptable: Answer = { code: 406, text: 'not-acceptable' }

/** Answers questions about groups and does what clients order there; errors as whatsmeow knows them (`group.go`). */
export function answerGroup(question: Question): Answer | undefined {
  const { whatsapp, connection, iq } = question
  const { account } = connection
  const { user } = parseJid(iq.attrs.to ?? '')
  if (!account) return { code: 401, text: 'not-authorized' }
  const order = firstChild(iq)
  if (!order) return undefined
  if (user === '') return answerServer(question, account, order)
  const group = whatsapp.groups.get(user)
  if (!group) return missing
  if (!group.members.has(account)) return forbidden
  return answerIn(group, account, { order, isChange: iq.attrs.type === 'set', whatsapp })
}

/** Orders that are not for a group. */
function answerServer({ whatsapp, iq }: Question, account: Account, order: Node): Answer | undefined {
  switch (order.tag) {
    case 'participating': {
      const groups = [...whatsapp.groups.values()].filter(({ members }) => members.has(account))
      return [node('groups', {}, groups.map(groupNode))]
    }
    case 'create':
      return create(whatsapp, account, order)
    case 'invite':
      return iq.attrs.type === 'set' ? join(whatsapp, account, order.attrs.code ?? '') : undefined
    case 'leave': {
      const left = children(order, 'group').map(({ attrs }) => {
        const group = whatsapp.groups.get(parseJid(attrs.id ?? '').user)
        if (group?.members.has(account)) goOut(group, account, account)
        return node('group', { id: attrs.id ?? '', ...(!group && { error: '404' }) })
      })
      return [node('leave', {}, left)]
    }
    default:
      return undefined
  }
}

interface Order {
  readonly order: Node
  readonly isChange: boolean
  readonly whatsapp: WhatsApp
}

function answerIn(group: Group, account: Account, { order, isChange, whatsapp }: Order): Answer | undefined {
  const isAdmin = group.admins.has(account)
  switch (order.tag) {
    case 'query':
      return [groupNode(group)]
    case 'subject':
      if (group.traits.isLocked && !isAdmin) return forbidden
      return rename(group, account, text(order))
    case 'invite':
      if (!isAdmin) return { code: 401, text: 'not-authorized' }
      if (isChange) group.renewCode()
      return [node('invite', { code: group.code })]
    case 'description':
      if (group.traits.isLocked && !isAdmin) return forbidden
      return describe(group, account, order)
    case 'membership_approval_requests':
      return isAdmin ? requestList(group) : forbidden
    case 'membership_requests_action':
      return isAdmin ? answerRequests(whatsapp, group, account, order) : forbidden
    case 'add':
    case 'remove':
    case 'promote':
    case 'demote':
      return isAdmin ? changeMembers(whatsapp, group, account, order) : forbidden
    default:
      return undefined
  }
}

function create(whatsapp: WhatsApp, account: Account, order: Node): Answer {
  const { subject = '' } = order.attrs
  if (subject === '' || subject.length > longestSubject) return unacceptable
  const asked = children(order, 'participant').map(({ attrs }) => attrs.jid ?? '')
  const people = asked.map((jid) => whatsapp.directory.ofJid(jid))
  const added = people.filter((person) => person !== undefined && person.traits.addRefusal === '')
  const group = new Group(newGroupId(), subject, 'lid', [account, ...(added as Account[])])
  const [mode] = children(order, 'membership_approval_mode')
  group.traits.needsApproval = mode !== undefined && firstChild(mode)?.attrs.state === 'on'
  whatsapp.groups.set(group.id, group)
  const told = node('create', { type: 'new', key: order.attrs.key ?? '' }, [groupNode(group)])
  tellOfGroup(group, group.members, account, [told])
  const shown = groupNode(group)
  const refused = asked.flatMap((jid, index) => {
    const person = people[index]
    if (person && person.traits.addRefusal === '') return []
    return [node('participant', { jid, error: person?.traits.addRefusal ?? '404' })]
  })
  return [node('group', shown.attrs, [...(shown.content as readonly Node[]), ...refused])]
}

function join(whatsapp: WhatsApp, account: Account, code: string): Answer {
  const groups = [...whatsapp.groups.values()]
  if (groups.some(({ oldCodes }) => oldCodes.has(code))) return { code: 410, text: 'gone' }
  const group = groups.find((each) => each.code === code)
  if (!group) return unacceptable
  if (group.traits.needsApproval && !group.members.has(account)) {
    askToJoin(group, account)
    tellAsker(group, account)
    return [node('membership_approval_request', { jid: group.jid })]
  }
  if (!group.members.has(account)) comeIn(group, account, account, 'invite')
  return [node('group', { jid: group.jid })]
}

function rename(group: Group, by: Account, subject: string): Answer {
  if (subject === '' || subject.length > longestSubject) return unacceptable
  group.subject = subject
  const set = { subject, s_o: by.jid(group.server), s_t: String(Math.floor(Date.now() / 1000)) }
  tellOfGroup(group, group.members, by, [node('subject', set)])
  return []
}

/** A description that names another one before it than the group has comes too late. */
function describe(group: Group, by: Account, order: Node): Answer {
  const { id, prev } = order.attrs
  const isGone = order.attrs.delete === 'true'
  const [body] = children(order, 'body')
  const description = isGone || !body ? '' : text(body)
  if (!isGone && (id === undefined || description === '')) return unacceptable
  if (description.length > longestDescription) return unacceptable
  if (prev !== (group.description === '' ? undefined : group.descriptionId))
    return { code: 409, text: 'conflict' }
  group.description = description
  if (id !== undefined) group.descriptionId = id
  tellOfGroup(group, group.members, by, [node('description', order.attrs, order.content)])
  return []
}

function changeMembers(whatsapp: WhatsApp, group: Group, by: Account, order: Node): Answer {
  const results = children(order, 'participant').map(({ attrs }) => {
    const person = whatsapp.directory.ofJid(attrs.jid ?? '')
    if (!person) return node('participant', { jid: attrs.jid ?? '', error: '404' })
    const error = changeMember(group, by, person, order.tag)
    const request =
      error === '403' ? [node('add_request', { code: 'AbCd', expiration: '1900000000' })] : undefined
    return participantNode(group, person, error === null ? {} : { error }, request)
  })
  return [node(order.tag, {}, results)]
}

/** The code with which it is refused; null if it is done. */
function changeMember(group: Group, by: Account, person: Account, change: string): string | null {
  const isMember = group.members.has(person)
  if (change === 'add') {
    if (isMember) return '409'
    if (person.traits.addRefusal !== '') return person.traits.addRefusal
    comeIn(group, person, by)
    return null
  }
  if (!isMember) return '404'
  if (change === 'remove') {
    // The creator stays.
    if (person === group.creator) return '405'
    goOut(group, person, by)
    return null
  }
  if (change === 'promote') group.admins.add(person)
  else group.admins.delete(person)
  tellOfGroup(group, group.members, by, [node(change, {}, [participantNode(group, person)])])
  return null
}
