import type { Handler } from '../../contract/handler.ts'
import { InstanceReader } from '../instance-reader.ts'
import { LinkPictures } from '../link-pictures.ts'
import { answerLink } from './answer-link.ts'
import { answerLinkOnPage } from './answer-link-on-page.ts'
import type { InstanceOperationsContext } from './context.ts'
import { createInstance } from './create-instance.ts'
import { createLinkPage } from './create-link-page.ts'
import { deleteInstance } from './delete-instance.ts'
import { getInstance } from './get-instance.ts'
import { getInstanceStatus } from './get-instance-status.ts'
import { getLink } from './get-link.ts'
import { getLinkPage } from './get-link-page.ts'
import { getLinkPagePicture } from './get-link-page-picture.ts'
import { listInstances } from './list-instances.ts'
import { listNetworks } from './list-networks.ts'
import { listTemplates } from './list-templates.ts'
import { logOutInstance } from './log-out-instance.ts'
import { orderInstances } from './order-instance.ts'
import { replaceCredentials } from './replace-credentials.ts'
import { revokeLinkPages } from './revoke-link-pages.ts'
import { startLink } from './start-link.ts'
import { startLinkOnPage } from './start-link-on-page.ts'
import { updateInstance } from './update-instance.ts'

/** Every operation on instances, and on the networks that they may use. */
export function instanceHandlers(parts: Omit<InstanceOperationsContext, 'reader' | 'pictures'>): Handler[] {
  const context = { ...parts, reader: new InstanceReader(parts.store), pictures: new LinkPictures() }
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
    listTemplates(context),
    deleteInstance(context),
    ...orderInstances(context),
    listNetworks(context),
  ]
}
