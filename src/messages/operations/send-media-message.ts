import { handler } from '../../contract/handler.ts'
import { sendMediaMessage as operation } from '../../contract/message-operations.ts'
import { Problem } from '../../contract/problem.ts'

/** The contract of media is settled; this version has no way to carry them. */
export const sendMediaMessage = () =>
  handler(operation, async () => {
    throw new Problem('not_implemented', { detail: 'This version of the server does not send media yet.' })
  })
