import type { FoundGroup, GroupActions, GroupAnswer, MemberResults } from '../../driver/abilities/groups.ts'
import type { NetworkError } from '../../driver/outcome.ts'
import { addressOf, jidOf } from '../address.ts'
import type { ErrorCode } from '../codes.ts'
import { errorOf } from '../errors.ts'
import type { GroupReply, MemberReply } from '../processes/group-questions.ts'
import type { WorkerClient } from '../processes/worker-client.ts'
import { replyBefore } from './reply-before.ts'

/** The beginning of the links of groups (https://faq.whatsapp.com/, "How to invite people into a group"). */
const linkBeginning = 'https://chat.whatsapp.com/'

/** A link as people pass it on, or its end alone; some have `invite/` in them, or parameters. */
const invitationForm = /^(?:(?:https?:\/\/)?chat\.whatsapp\.com\/(?:invite\/)?)?([\w-]{10,64})(?:[/?#].*)?$/i

/** Errors of WhatsApp by code, in questions about groups (`group.go` of whatsmeow). */
type Meanings = Readonly<Record<number, ErrorCode>>

const toRead: Meanings = { 403: 'not_in_group', 404: 'not_in_group' }
const toChange: Meanings = { 401: 'group_admin_required', 403: 'group_admin_required', 404: 'not_in_group' }
const toName: Meanings = { ...toChange, 406: 'group_subject_refused' }
const toInvite: Meanings = { ...toRead, 401: 'group_admin_required' }
const toDescribe: Meanings = {
  ...toChange,
  406: 'group_description_refused',
  409: 'group_description_changed',
}
const toJoin: Meanings = {
  401: 'group_invitation_invalid',
  403: 'group_invitation_invalid',
  404: 'group_invitation_invalid',
  406: 'group_invitation_invalid',
  410: 'group_invitation_invalid',
  419: 'group_full',
}
const toAdd: Meanings = {
  401: 'member_invitation_needed',
  403: 'member_invitation_needed',
  404: 'recipient_not_on_network',
  408: 'member_left_lately',
  409: 'member_already',
  419: 'group_full',
}
const toTouch: Meanings = { 404: 'member_missing' }
const toLetIn: Meanings = { 404: 'join_request_missing', 409: 'member_already', 419: 'group_full' }

/** The questions and orders about the groups of one account. While the connection is not open, WhatsApp is not asked. */
export function groupActions(
  ask: WorkerClient['line']['ask'],
  isOpen: () => boolean,
): Required<GroupActions> {
  const answer = async <T>(
    reply: () => Promise<GroupReply<T>>,
    signal: AbortSignal,
    meanings: Meanings,
    isOrder = true,
  ): Promise<GroupAnswer<T>> => {
    if (!isOpen()) return { kind: 'unanswered', detail: 'The connection is not open.', mayBeDone: false }
    return answerOf(await replyBefore(signal, reply, { kind: 'unanswered', mayBeDone: isOrder }), meanings)
  }
  return {
    list: (page, signal) => answer(() => ask('listGroups', page), signal, toRead, false),
    get: (group, signal) => answer(() => ask('getGroup', { group }), signal, toRead, false),
    create: async ({ subject, description = '', approval = false, members }, signal) => {
      const wanted = { subject, approval, members: members.map(jidOf) }
      const made = await answer(() => ask('createGroup', wanted), signal, toName)
      if (made.kind !== 'done' || description === '') return made
      const { address: group } = made.value
      const described = await answer(() => ask('describeGroup', { group, description }), signal, toDescribe)
      // The group is there in either case, and shows what it says about itself.
      return described.kind === 'done' ? { kind: 'done', value: { ...made.value, description } } : made
    },
    join: async (invitation, signal) => {
      const code = invitationForm.exec(invitation.trim())?.[1]
      if (code === undefined) return rejection(errorOf('group_invitation_invalid', true))
      return joined(await answer(() => ask('joinGroup', { code }), signal, toJoin))
    },
    rename: (group, subject, signal) => answer(() => ask('renameGroup', { group, subject }), signal, toName),
    describe: (group, description, signal) =>
      answer(() => ask('describeGroup', { group, description }), signal, toDescribe),
    listRequests: (group, page, signal) =>
      answer(() => ask('listRequests', { group, ...page }), signal, toInvite, false),
    answerRequests: async (group, { action, people }, signal) => {
      const asked = () => ask('answerRequests', { group, action, people: people.map(jidOf) })
      const result = await answer(asked, signal, toChange)
      if (result.kind !== 'done') return result
      const replies = action === 'approve' ? result.value.map(letIn) : result.value
      return { kind: 'done', value: fatesOf(replies, people, toLetIn) }
    },
    changeMembers: async (group, { action, members }, signal) => {
      const changed = () => ask('changeMembers', { group, action, members: members.map(jidOf) })
      const result = await answer(changed, signal, toChange)
      if (result.kind !== 'done') return result
      const meanings = action === 'add' ? toAdd : toTouch
      return { kind: 'done', value: fatesOf(result.value, members, meanings) }
    },
    inviteLink: async (group, renew, signal) => {
      const result = await answer(() => ask('inviteCode', { group, renew }), signal, toInvite, renew)
      if (result.kind !== 'done') return result
      return { kind: 'done', value: { url: `${linkBeginning}${result.value}` } }
    },
    leave: (group, signal) => answer(() => ask('leaveGroup', { group }), signal, toRead),
  }
}

/** A person who is in the group already is where an approval would have brought them. */
function letIn(reply: MemberReply): MemberReply {
  return reply.code === 409 ? { ...reply, code: null } : reply
}

function answerOf<T>(reply: GroupReply<T>, meanings: Meanings): GroupAnswer<T> {
  switch (reply.kind) {
    case 'done':
      return reply
    case 'community':
      return rejection(errorOf('group_is_community', true))
    case 'refused':
      if (meanings[reply.code] === 'not_in_group') return { kind: 'no-group' }
      return rejection(errorFor(reply.code, meanings, 'question_refused'))
    case 'unanswered':
      return { kind: 'unanswered', detail: 'WhatsApp did not answer in time.', mayBeDone: reply.mayBeDone }
  }
}

/** Errors that count for any question. */
function errorFor(code: number, meanings: Meanings, otherwise: ErrorCode): NetworkError {
  if (code === 429) return errorOf('rate_limited', false, String(code))
  if (code >= 500) return errorOf('server_error', false, String(code))
  return errorOf(meanings[code] ?? otherwise, true, String(code))
}

function joined(answer: GroupAnswer<FoundGroup | 'requested'>): GroupAnswer<FoundGroup> {
  if (answer.kind !== 'done') return answer
  const { value } = answer
  return value === 'requested' ? rejection(errorOf('group_approval_needed', true)) : { kind: 'done', value }
}

/** The fates of members by the addresses with which they were named. */
function fatesOf(fates: readonly MemberReply[], asked: readonly string[], meanings: Meanings): MemberResults {
  const named = new Map(asked.map((address) => [addressOf(jidOf(address)), address]))
  return fates.flatMap(({ jid, code }) => {
    const address = named.get(addressOf(jid))
    if (address === undefined) return []
    return [{ address, error: code === null ? null : errorFor(code, meanings, 'member_refused') }]
  })
}

function rejection(error: NetworkError): { kind: 'rejected'; error: NetworkError } {
  return { kind: 'rejected', error }
}
