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
    'Starts to link the account of the instance, or starts anew in another way: by a QR code, or by a code that a person types into ' +
    'the app on their phone. The network decides how long each step lasts and how many there are. `GET /v1/instances/{name}/link` shows ' +
    'the present one, also as a picture. If nobody acts in time, the instance is `stopped` with `link_expired`; then start again. With ' +
    '`Prefer: wait=N`, the reply comes when there is a step to show, or the attempt is over. Without a body, it is a QR code.',
  access: 'admin',
  params,
  body: StartLink,
  isBodyOptional: true,
  waits: 'there is a step to show, or the attempt is over',
  replies: {
    202: { description: 'The link attempt was started.', body: InstanceConnectivity, example: linkingStatus },
  },
  problems: ['instance_deleting', 'already_linked', 'link_kind_not_supported'],
  examples: startLinkExamples,
})

export const getLink = operation('GET /v1/instances/{name}/link', {
  id: 'getLink',
  summary: 'Read the present link step',
  description:
    'Returns what a person has to do now to link the account: in JSON as `link`, in the same record as the status and the answer of ' +
    '`POST`, or with `Accept: image/png` or `image/svg+xml` a QR code as a ' +
    'picture, large enough for a phone to scan it from a screen. Whoever has it can link the account. A step lasts until `expires_at`, ' +
    'so read the next one then. With `Prefer: wait=N`, the reply comes when there is a step that has not expired, or none will follow.',
  access: 'read',
  params,
  waits: 'there is a step that has not expired, or none will follow',
  replies: {
    200: {
      description: 'The present link step.',
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
    'Passes what a person answered to the network, while the instance is `awaiting_link` and its `link` asks a `question`. If the ' +
    'network refuses the answer, the question stays. With `Prefer: wait=N`, the reply comes when the instance is connected, asks ' +
    'for something else, or has failed.',
  access: 'admin',
  params,
  body: AnswerLink,
  waits: 'the instance is connected, asks for something else, or has failed',
  replies: {
    202: {
      description: 'The network took the answer.',
      body: InstanceConnectivity,
      example: connectedStatus,
    },
  },
  problems: ['link_not_asking', 'instance_not_connected', 'network_refused'],
  examples: answerLinkExamples,
})

export const logOutInstance = operation('POST /v1/instances/{name}/logout', {
  id: 'logOutInstance',
  summary: 'Log the account out',
  description:
    'Unlinks the account at the network and keeps the instance, which is then `logged_out`, until somebody links an account again ' +
    '(`POST /v1/instances/{name}/link`). Queued messages wait until then, and expire at their `expires_at`. The instance must be ' +
    'connected, unless it is logged out already: then nothing changes.',
  access: 'admin',
  params,
  replies: {
    202: {
      description: 'The network has confirmed that the account is logged out.',
      body: InstanceConnectivity,
      example: loggedOutStatus,
    },
  },
  problems: ['instance_deleting', 'instance_not_connected', 'logout_not_supported'],
})

export const linkOperations = [startLink, getLink, answerLink, logOutInstance] as const
