import type { Account } from '../accounts/account.ts'
import { type Notice, notify } from '../accounts/device-list.ts'
import type { WhatsApp } from '../whatsapp.ts'
import { children, type Node, node } from '../wire/node.ts'
import type { Group } from './group.ts'
import { comeIn, tellOfGroup } from './group-news.ts'
import { participantNode } from './group-nodes.ts'

/*
 * People who ask to join a group, as whatsmeow knows it (`GetGroupRequestParticipants` and `UpdateGroupRequestParticipants` of `group.go`,
 * `parseGroupChange` of `notification.go`). Only administrators hear of them.
 */

/** A person asks. One who asks once more is told again, and asked first. */
export function askToJoin(group: Group, person: Account): Notice[] {
  if (!group.requests.has(person)) group.requests.set(person, Math.floor(Date.now() / 1000))
  const told = node('created_membership_requests', { request_method: 'invite_link' }, [
    askerNode(group, person, 'requested_user'),
  ])
  return tellOfGroup(group, group.admins, person, [told])
}

/** A request is over without the person being let in; they did that themselves, or an administrator did. */
export function endRequest(group: Group, person: Account, by: Account): Notice[] {
  group.requests.delete(person)
  const told = node('revoked_membership_requests', {}, [askerNode(group, person, 'participant')])
  return tellOfGroup(group, group.admins, by, [told])
}

/** `<membership_approval_requests>`: all that there are, in any order. */
export function requestList(group: Group): Node[] {
  const requests = [...group.requests].map(([person, at]) => {
    const { attrs } = askerNode(group, person, 'membership_approval_request')
    return node('membership_approval_request', {
      ...attrs,
      ...{ request_method: 'invite_link', request_time: String(at) },
    })
  })
  return [node('membership_approval_requests', {}, requests.reverse())]
}

/** `<membership_requests_action>`. */
export function answerRequests(whatsapp: WhatsApp, group: Group, by: Account, order: Node): Node[] {
  const answered = (['approve', 'reject'] as const).flatMap((action) =>
    children(order, action).map((part) => {
      const results = children(part, 'participant').map(({ attrs }) => {
        const person = whatsapp.directory.ofJid(attrs.jid ?? '')
        const error = person ? answerOne(group, by, person, action) : '404'
        return node('participant', { jid: attrs.jid ?? '', ...(error !== null && { error }) })
      })
      return node(action, {}, results)
    }),
  )
  return [node('membership_requests_action', {}, answered)]
}

function answerOne(group: Group, by: Account, person: Account, action: 'approve' | 'reject'): string | null {
  if (group.members.has(person)) return '409'
  if (!group.requests.has(person)) return '404'
  if (action === 'reject') {
    endRequest(group, person, by)
    return null
  }
  if (person.traits.addRefusal !== '') return person.traits.addRefusal
  group.requests.delete(person)
  comeIn(group, person, by)
  return null
}

/** Tells the person that the request waits. */
export function tellAsker(group: Group, person: Account): Notice[] {
  const told = node('membership_approval_request', { request_method: 'invite_link' })
  const attributes = { type: 'w:gp2', from: group.jid, participant: person.jid(group.server) }
  return notify(person, attributes, [told])
}

function askerNode(group: Group, person: Account, tag: string): Node {
  return node(tag, participantNode(group, person).attrs)
}
