import { operation } from '../operation.ts'
import { connectedStatus, linkingStatus, loggedOutStatus } from '../resources/examples.ts'
import { AnswerLink, InstanceConnectivity, StartLink } from '../resources/instance.ts'
import { instancePath as params } from './instance-operations.ts'

/** The QR code of a link step, which callers can ask for instead of JSON. */
export const qrPictures = {
  'image/png': { description: 'The QR code as a picture. Only for steps of the kind `qr`.', isBinary: true },
  'image/svg+xml': {
    description: 'The QR code as a picture of any size. Only for steps of the kind `qr`.',
  },
} as const

export const startLinkExamples = {
  qr: { summary: 'A QR code to scan', value: { kind: 'qr' } },
  code: { summary: 'A code to type in', value: { kind: 'code', phone: '+49 151 12345678' } },
}

export const answerLinkExamples = {
  code: { summary: 'The code that the network sent', value: { answer: '4821-7730' } },
}

export const startLink = operation('POST /v1/instances/{name}/link', {
  id: 'startLink',
  summary: 'Start linking the account',
  description:
    'Starts to link the account of the instance, or starts again in another way: by a QR code, or by a code that a person ' +
    'types into the app on their phone. Without a body, it is a QR code. The network decides how long each step lasts and ' +
    'how many there are. `GET /v1/instances/{name}/link` shows the current step, also as an image. If the person does not ' +
    'act in time, the instance is `stopped` with `link_expired`; then start again. With `Prefer: wait=N`, the response comes ' +
    'when there is a step to show, or the attempt is over.',
  access: 'admin',
  params,
  body: StartLink,
  isBodyOptional: true,
  waits: 'there is a step to show, or the attempt is over',
  responses: {
    202: { description: 'The link attempt was started.', body: InstanceConnectivity, example: linkingStatus },
  },
  problems: ['instance_unreachable', 'instance_deleting', 'already_linked', 'link_kind_not_supported'],
  examples: startLinkExamples,
})

export const getLink = operation('GET /v1/instances/{name}/link', {
  id: 'getLink',
  summary: 'Read the current link step',
  description:
    'Returns the step that a person must take now to link the account: in JSON as `link`, in the same record as the status ' +
    'and the response to `POST`, or, with `Accept: image/png` or `image/svg+xml`, a QR code as a picture that a phone can ' +
    'scan from a screen. Keep it secret, because its holder can link the account. A step lasts until `expires_at`; then read ' +
    'the next one. With `Prefer: wait=N`, the response comes when there is a step that has not expired, or none will follow.',
  access: 'read',
  params,
  waits: 'there is a step that has not expired, or none will follow',
  responses: {
    200: {
      description: 'The current link step.',
      body: InstanceConnectivity,
      example: linkingStatus,
      media: qrPictures,
    },
  },
  problems: ['instance_deleting', 'no_link_step'],
})

export const answerLink = operation('POST /v1/instances/{name}/link/answer', {
  id: 'answerLink',
  summary: 'Answer a link question',
  description:
    "Passes a person's answer on to the network, while the instance is `awaiting_link` and its `link` is a `question`. If " +
    'the network rejects the answer, the question stays. With `Prefer: wait=N`, the response comes when the instance is ' +
    'connected, asks another question, or has failed.',
  access: 'admin',
  params,
  body: AnswerLink,
  waits: 'the instance is connected, asks another question, or has failed',
  responses: {
    202: {
      description: 'The network accepted the answer.',
      body: InstanceConnectivity,
      example: connectedStatus,
    },
  },
  problems: ['instance_unreachable', 'link_not_asking', 'instance_not_connected', 'network_refused'],
  examples: answerLinkExamples,
})

export const logOutInstance = operation('POST /v1/instances/{name}/logout', {
  id: 'logOutInstance',
  summary: 'Log the account out',
  description:
    'Unlinks the account at the network and keeps the instance, which is `logged_out` until an account is linked again ' +
    '(`POST /v1/instances/{name}/link`). Queued messages wait until then, and expire at their `expires_at`. The instance ' +
    'must be connected; if it is already logged out, nothing changes.',
  access: 'admin',
  params,
  responses: {
    202: {
      description: 'The network has confirmed that the account is logged out.',
      body: InstanceConnectivity,
      example: loggedOutStatus,
    },
  },
  problems: ['instance_unreachable', 'instance_deleting', 'instance_not_connected', 'logout_not_supported'],
})

export const linkOperations = [startLink, getLink, answerLink, logOutInstance] as const
