import type { Operation } from '../../contract/operation.ts'
import {
  sendContactsMessage,
  sendInteractiveMessage,
  sendLocationMessage,
  sendPollMessage,
} from '../../contract/operations/content-operations.ts'
import {
  getContact,
  getContactPicture,
  listContacts,
  listConversations,
} from '../../contract/operations/conversation-operations.ts'
import {
  changeGroupMembers,
  createGroup,
  getGroup,
  getInviteLink,
  joinGroup,
  leaveGroup,
  listGroups,
  updateGroup,
} from '../../contract/operations/conversations/group-operations.ts'
import {
  editMessage,
  reactToMessage,
  retractMessage,
} from '../../contract/operations/following-operations.ts'
import {
  checkAddresses,
  createInstance,
  deleteInstance,
  getInstance,
  getInstanceStatus,
  listInstances,
  restartInstance,
  showTyping,
  startInstance,
  stopInstance,
  updateInstance,
} from '../../contract/operations/instance-operations.ts'
import { getLink, logOutInstance, startLink } from '../../contract/operations/link-operations.ts'
import {
  getMessage,
  getMessageMedia,
  listMessages,
  markMessageRead,
  sendMediaMessage,
  sendTemplateMessage,
  sendTextMessage,
} from '../../contract/operations/message-operations.ts'
import { listTemplates } from '../../contract/operations/template-operations.ts'
import { createWebhook, listWebhooks } from '../../contract/operations/webhook-operations.ts'

/** The calls of another gateway, whose callers may come here with what they have. */
export interface OtherGateway {
  readonly name: string
  /** The document that says how to come from there. */
  readonly guide: string
  /** Our operation for each of its calls; `{}` is any segment. */
  readonly calls: Readonly<Record<string, Operation>>
  /** The beginnings of its other paths, for which there is nothing here. */
  readonly others: readonly string[]
}

/** Evolution API 2.3: https://doc.evolution-api.com/v2 and the routes of its source. */
const evolution: OtherGateway = {
  name: 'Evolution API',
  guide: 'docs/migration/evolution-api.md',
  calls: {
    'POST /instance/create': createInstance,
    'GET /instance/fetchInstances': listInstances,
    'GET /instance/connect/{}': getLink,
    'GET /instance/connectionState/{}': getInstanceStatus,
    'POST /instance/restart/{}': restartInstance,
    'PUT /instance/restart/{}': restartInstance,
    'DELETE /instance/logout/{}': logOutInstance,
    'DELETE /instance/delete/{}': deleteInstance,
    'POST /message/sendText/{}': sendTextMessage,
    'POST /message/sendMedia/{}': sendMediaMessage,
    'POST /message/sendWhatsAppAudio/{}': sendMediaMessage,
    'POST /message/sendTemplate/{}': sendTemplateMessage,
    'POST /message/sendSticker/{}': sendMediaMessage,
    'POST /message/sendLocation/{}': sendLocationMessage,
    'POST /message/sendContact/{}': sendContactsMessage,
    'POST /message/sendPoll/{}': sendPollMessage,
    'POST /message/sendButtons/{}': sendInteractiveMessage,
    'POST /message/sendList/{}': sendInteractiveMessage,
    'POST /message/sendReaction/{}': reactToMessage,
    'POST /chat/updateMessage/{}': editMessage,
    'DELETE /chat/deleteMessageForEveryone/{}': retractMessage,
    'POST /chat/findMessages/{}': listMessages,
    'POST /chat/findChats/{}': listConversations,
    'POST /chat/markMessageAsRead/{}': markMessageRead,
    'POST /chat/getBase64FromMediaMessage/{}': getMessageMedia,
    'POST /chat/whatsappNumbers/{}': checkAddresses,
    'POST /chat/sendPresence/{}': showTyping,
    'POST /chat/findContacts/{}': listContacts,
    'POST /chat/fetchProfilePictureUrl/{}': getContactPicture,
    'POST /group/create/{}': createGroup,
    'GET /group/fetchAllGroups/{}': listGroups,
    'GET /group/findGroupInfos/{}': getGroup,
    'GET /group/participants/{}': getGroup,
    'POST /group/updateGroupSubject/{}': updateGroup,
    'POST /group/updateGroupDescription/{}': updateGroup,
    'POST /group/updateParticipant/{}': changeGroupMembers,
    'GET /group/inviteCode/{}': getInviteLink,
    'POST /group/revokeInviteCode/{}': getInviteLink,
    'GET /group/acceptInviteCode/{}': joinGroup,
    'DELETE /group/leaveGroup/{}': leaveGroup,
    'POST /proxy/set/{}': updateInstance,
    'GET /proxy/find/{}': getInstance,
    'GET /template/find/{}': listTemplates,
    'POST /webhook/set/{}': createWebhook,
    'GET /webhook/find/{}': listWebhooks,
  },
  others: ['/instance/', '/message/', '/chat/', '/group/', '/label/', '/call/', '/settings/'],
}

/** WAHA 2026: https://waha.devlike.pro/swagger. */
const waha: OtherGateway = {
  name: 'WAHA',
  guide: 'docs/migration/waha.md',
  calls: {
    'POST /api/sessions': createInstance,
    'GET /api/sessions': listInstances,
    'GET /api/sessions/{}': getInstance,
    'GET /api/sessions/{}/me': getInstance,
    'PUT /api/sessions/{}': updateInstance,
    'DELETE /api/sessions/{}': deleteInstance,
    'POST /api/sessions/{}/start': startInstance,
    'POST /api/sessions/{}/stop': stopInstance,
    'POST /api/sessions/{}/restart': restartInstance,
    'POST /api/sessions/{}/logout': logOutInstance,
    'GET /api/{}/auth/qr': getLink,
    'POST /api/{}/auth/request-code': startLink,
    'POST /api/sendText': sendTextMessage,
    'POST /api/sendImage': sendMediaMessage,
    'POST /api/sendFile': sendMediaMessage,
    'POST /api/sendVoice': sendMediaMessage,
    'POST /api/sendVideo': sendMediaMessage,
    'POST /api/sendSeen': markMessageRead,
    'POST /api/reply': sendTextMessage,
    'POST /api/sendLocation': sendLocationMessage,
    'POST /api/sendContactVcard': sendContactsMessage,
    'POST /api/sendPoll': sendPollMessage,
    'POST /api/sendButtons': sendInteractiveMessage,
    'POST /api/sendList': sendInteractiveMessage,
    'PUT /api/reaction': reactToMessage,
    'PUT /api/{}/chats/{}/messages/{}': editMessage,
    'DELETE /api/{}/chats/{}/messages/{}': retractMessage,
    'GET /api/{}/chats': listConversations,
    'GET /api/{}/chats/overview': listConversations,
    'GET /api/{}/chats/{}/picture': getContactPicture,
    'GET /api/{}/chats/{}/messages': listMessages,
    'GET /api/{}/chats/{}/messages/{}': getMessage,
    'POST /api/{}/chats/{}/messages/read': markMessageRead,
    'GET /api/messages': listMessages,
    'POST /api/startTyping': showTyping,
    'POST /api/{}/presence': showTyping,
    'GET /api/contacts/check-exists': checkAddresses,
    'GET /api/contacts/all': listContacts,
    'GET /api/contacts/profile-picture': getContactPicture,
    'GET /api/contacts': getContact,
    'GET /api/{}/groups': listGroups,
    'POST /api/{}/groups': createGroup,
    'POST /api/{}/groups/join': joinGroup,
    'GET /api/{}/groups/{}': getGroup,
    'GET /api/{}/groups/{}/participants': getGroup,
    'PUT /api/{}/groups/{}/subject': updateGroup,
    'PUT /api/{}/groups/{}/description': updateGroup,
    'POST /api/{}/groups/{}/participants/add': changeGroupMembers,
    'POST /api/{}/groups/{}/participants/remove': changeGroupMembers,
    'POST /api/{}/groups/{}/admin/promote': changeGroupMembers,
    'POST /api/{}/groups/{}/admin/demote': changeGroupMembers,
    'GET /api/{}/groups/{}/invite-code': getInviteLink,
    'POST /api/{}/groups/{}/invite-code/revoke': getInviteLink,
    'POST /api/{}/groups/{}/leave': leaveGroup,
  },
  others: ['/api/send', '/api/sessions/', '/api/contacts', '/api/stopTyping'],
}

export const otherGateways: readonly OtherGateway[] = [evolution, waha]

const fits = (pattern: readonly string[], segments: readonly string[]): boolean =>
  pattern.length === segments.length &&
  pattern.every((part, index) => part === '{}' || part === segments[index])

/** A sentence for a caller who uses a call of another gateway that we have as well; undefined if it is none. */
export function inOtherGateway(method: string, path: string): string | undefined {
  const asked = path.split('/')
  for (const { name, guide, calls } of otherGateways)
    for (const [call, ours] of Object.entries(calls)) {
      const [verb = '', pattern = ''] = call.split(' ')
      if (verb === method && fits(pattern.split('/'), asked))
        return `This is a call of ${name}. Here it is \`${ours.method} ${ours.path}\`; ${guide} shows both side by side.`
    }
  return undefined
}

/**
 * A sentence for a caller who uses a path of another gateway, with a method or without a part that its call has, or one
 * for which there is nothing here; undefined if it is none.
 */
export function nearOtherGateway(path: string): string | undefined {
  const asked = path.split('/')
  for (const { name, guide, calls, others } of otherGateways) {
    const near = Object.entries(calls).find(([call]) => {
      const pattern = (call.split(' ')[1] ?? '').split('/')
      return fits(pattern, asked) || (pattern.at(-1) === '{}' && fits(pattern.slice(0, -1), asked))
    })
    if (near) {
      const [call, ours] = near
      return `${name} has \`${call.replaceAll('{}', '…')}\`. Here it is \`${ours.method} ${ours.path}\`; ${guide} shows both side by side.`
    }
    if (others.some((beginning) => path.startsWith(beginning)))
      return `${name} has such a call, and there is none here; ${guide} lists what there is.`
  }
  return undefined
}
