import { operation } from '../operation.ts'
import { linkPageExample, linkPageLinking } from '../resources/examples.ts'
import { AnswerLink, StartLink } from '../resources/instance.ts'
import { CreateLinkPage, LinkPage, LinkPageView } from '../resources/link-page.ts'
import { instancePath as params } from './instance-operations.ts'
import { answerLinkExamples, qrPictures, startLinkExamples } from './link-operations.ts'

export const createLinkPage = operation('POST /v1/instances/{name}/link-page', {
  id: 'createLinkPage',
  summary: 'Create a page for linking the account',
  description:
    'Creates a page on which the owner of the phone can link the account without a key. Send them the `url`. Opening the ' +
    'page starts nothing: it first says that you will be able to read and send their messages, and linking begins only once ' +
    'they agree. On a phone the page begins with a code to type, on other devices with a QR code, and it shows the result. ' +
    'The page ends when the account is linked, when the page expires, when the instance is removed, or when the key that ' +
    'created it ends. An instance can have ten pages; creating another ends the oldest. At most a thousand pages of an ' +
    'organization can have a picture; creating another with a picture removes that of the oldest.',
  access: 'admin',
  params,
  body: CreateLinkPage,
  isBodyOptional: true,
  responses: { 201: { description: 'The page was created.', body: LinkPage, example: linkPageExample } },
  problems: ['instance_deleting', 'already_linked', 'link_kind_not_supported', 'base_url_missing'],
  examples: {
    page: {
      summary: 'A page for two days, in Portuguese',
      value: { expires_in_seconds: 172_800, title: 'Padaria da Ana', language: 'pt-BR' },
    },
  },
})

export const revokeLinkPages = operation('DELETE /v1/instances/{name}/link-page', {
  id: 'revokeLinkPages',
  summary: 'End the link pages',
  description:
    'Ends all link pages of the instance at once. A link attempt that has begun on one of them continues; stop the instance to end it.',
  access: 'admin',
  params,
  responses: { 204: { description: 'The instance has no link pages.' } },
})

export const getLinkPage = operation('GET /v1/link-page', {
  id: 'getLinkPage',
  summary: 'Read what a link page shows',
  description:
    'Returns what the page of `createLinkPage` shows, and starts nothing; call it again every two seconds or so. With ' +
    '`Accept: image/png` or `image/svg+xml`, it returns the QR code of the current step as a picture. For ten minutes ' +
    'after the account was linked, its `state` is `linked`.',
  access: 'link_page',
  responses: {
    200: {
      description: 'What the page shows.',
      body: LinkPageView,
      example: linkPageLinking,
      media: qrPictures,
    },
  },
  problems: ['no_link_step'],
})

export const getLinkPagePicture = operation('GET /v1/link-page/picture', {
  id: 'getLinkPagePicture',
  summary: 'Read the picture of a link page',
  description:
    'Returns the picture of the business that the page shows, while `has_picture` is true. It stays the same for as long as ' +
    'the page exists. The creator of the page chose it, and Posthorn has not checked it.',
  access: 'link_page',
  responses: {
    200: {
      description: 'The picture.',
      media: {
        'image/png': { description: 'The picture, if it is a PNG.', isBinary: true },
        'image/jpeg': { description: 'The picture, if it is a JPEG.', isBinary: true },
      },
    },
  },
  problems: ['media_not_found'],
})

export const startLinkOnPage = operation('POST /v1/link-page/link', {
  id: 'startLinkOnPage',
  summary: 'Start linking on a link page',
  description:
    'Starts linking the account of the page, or starts again in another way. The audit log records it under the key that created the page, ' +
    'with the id of the page as its target.',
  access: 'link_page',
  body: StartLink,
  isBodyOptional: true,
  responses: {
    202: { description: 'The link attempt was started.', body: LinkPageView, example: linkPageLinking },
  },
  problems: ['instance_unreachable', 'instance_deleting', 'already_linked', 'link_kind_not_supported'],
  examples: startLinkExamples,
})

export const answerLinkOnPage = operation('POST /v1/link-page/link/answer', {
  id: 'answerLinkOnPage',
  summary: 'Answer a link question on a link page',
  description:
    "Passes the person's answer on to the network while the `step` of the page is a `question`. If the network rejects the " +
    'answer, the question stays.',
  access: 'link_page',
  body: AnswerLink,
  responses: {
    202: { description: 'The network accepted the answer.', body: LinkPageView, example: linkPageLinking },
  },
  problems: ['instance_unreachable', 'link_not_asking', 'instance_not_connected', 'network_refused'],
  examples: answerLinkExamples,
})

export const declineLink = operation('DELETE /v1/link-page', {
  id: 'declineLink',
  summary: 'Decline to link on a link page',
  description:
    'Ends the page for a person who does not want to link their account, or does not know who asks. The page opens nothing from then on. ' +
    'A link attempt of the instance ends, whether or not it began on this page, and the instance is `stopped` with `link_declined`; ' +
    'other pages of the instance stay. The audit log records it as it records `startLinkOnPage`.',
  access: 'link_page',
  responses: { 204: { description: 'The page has ended, and no link attempt goes on.' } },
  problems: ['instance_unreachable', 'instance_deleting', 'already_linked', 'link_kind_not_supported'],
})

export const linkPageOperations = [
  createLinkPage,
  revokeLinkPages,
  getLinkPage,
  getLinkPagePicture,
  startLinkOnPage,
  answerLinkOnPage,
  declineLink,
] as const
