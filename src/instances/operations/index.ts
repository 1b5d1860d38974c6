import type { Handler } from '../../contract/handler.ts'
import { FairSemaphore } from '../../runtime/limits/fair-semaphore.ts'
import { InstanceReader } from '../instance-reader.ts'
import { LinkPictures } from '../linking/link-pictures.ts'
import { checkAddresses } from './check-addresses.ts'
import type { InstanceOperationsContext } from './context.ts'
import { createInstance } from './create-instance.ts'
import { deleteInstance } from './delete-instance.ts'
import { getContactPicture, pictureLimits } from './get-contact-picture.ts'
import { getInstance } from './get-instance.ts'
import { getInstanceStatus } from './get-instance-status.ts'
import { changeGroupMembers } from './groups/change-group-members.ts'
import { createGroup } from './groups/create-group.ts'
import { decideJoinRequests } from './groups/decide-join-requests.ts'
import { getGroup } from './groups/get-group.ts'
import { getInviteLink } from './groups/get-invite-link.ts'
import { joinGroup } from './groups/join-group.ts'
import { leaveGroup } from './groups/leave-group.ts'
import { listGroups } from './groups/list-groups.ts'
import { listJoinRequests } from './groups/list-join-requests.ts'
import { updateGroup } from './groups/update-group.ts'
import { answerLink } from './linking/answer-link.ts'
import { answerLinkOnPage } from './linking/answer-link-on-page.ts'
import { createLinkPage } from './linking/create-link-page.ts'
import { declineLink } from './linking/decline-link.ts'
import { getLink } from './linking/get-link.ts'
import { getLinkPage } from './linking/get-link-page.ts'
import { getLinkPagePicture } from './linking/get-link-page-picture.ts'
import { logOutInstance } from './linking/log-out-instance.ts'
import { revokeLinkPages } from './linking/revoke-link-pages.ts'
import { startLink } from './linking/start-link.ts'
import { startLinkOnPage } from './linking/start-link-on-page.ts'
import { listInstances } from './list-instances.ts'
import { listNetworks } from './list-networks.ts'
import { listTemplates } from './list-templates.ts'
import { orderInstances } from './order-instance.ts'
import { replaceCredentials } from './replace-credentials.ts'
import { showTyping } from './show-typing.ts'
import { updateInstance } from './update-instance.ts'

/** Every operation on instances, and on the networks that they may use. */
export function instanceHandlers(
  parts: Omit<InstanceOperationsContext, 'reader' | 'pictures' | 'pictureTurns'>,
): Handler[] {
  const context = {
    ...parts,
    reader: new InstanceReader(parts.store, parts.peers),
    pictures: new LinkPictures(),
    pictureTurns: new FairSemaphore(pictureLimits),
  }
  return [
    listInstances(context),
    createInstance(context),
    getInstance(context),
    getInstanceStatus(context),
    updateInstance(context),
    replaceCredentials(context),
    startLink(context),
    getLink(context),
    answerLink(context),
    logOutInstance(context),
    createLinkPage(context),
    revokeLinkPages(context),
    getLinkPage(context),
    getLinkPagePicture(context),
    startLinkOnPage(context),
    answerLinkOnPage(context),
    declineLink(context),
    listTemplates(context),
    checkAddresses(context),
    showTyping(context),
    listGroups(context),
    createGroup(context),
    joinGroup(context),
    getGroup(context),
    updateGroup(context),
    changeGroupMembers(context),
    getInviteLink(context),
    listJoinRequests(context),
    decideJoinRequests(context),
    leaveGroup(context),
    getContactPicture(context),
    deleteInstance(context),
    ...orderInstances(context),
    listNetworks(context),
  ]
}
