import { login } from './accounts/login.ts'
import { register, takeSignature } from './accounts/registration.ts'
import { Connection, streamError } from './connection.ts'
import { answerIq } from './iq/answer.ts'
import { takeAck } from './messages/acks.ts'
import { takeReceipt } from './messages/receipts.ts'
import { takeMessage } from './messages/sent.ts'
import { misbehaviour } from './misbehaviour.ts'
import { takeChatState, takePresence } from './people/presence.ts'
import type { WhatsApp } from './whatsapp.ts'
import type { Node } from './wire/node.ts'
import type { ClientStream } from './wire/stream.ts'

/** Takes a stream: of a client that logs in, or of one that wants to be linked. */
export function accept(whatsapp: WhatsApp, stream: ClientStream): void {
  const { counters, connections, faults } = whatsapp
  const connection = new Connection(stream)
  const { username, devicePairingData, userAgent } = stream.login
  connections.add(connection)
  counters.streams += 1
  stream.onNode = (received) => take(whatsapp, connection, received)
  stream.onClose = () => {
    connection.ended()
    connections.delete(connection)
    whatsapp.waiting.look()
  }
  whatsapp.waiting.look()
  const fault = faults.take('connect', username === undefined ? undefined : String(username))
  if (fault && misbehaviour(connection, fault)) return
  const { primary = 0, secondary = 0, tertiary = 0 } = userAgent?.appVersion ?? {}
  if (isOlder([primary, secondary, tertiary], whatsapp.settings.oldestVersion)) {
    connection.fail(405)
    return
  }
  if (devicePairingData) register(whatsapp, connection, devicePairingData)
  else login(whatsapp, connection)
}

/** Takes a stanza of a client. */
function take(whatsapp: WhatsApp, connection: Connection, received: Node): void {
  if (connection.isClosed || connection.isStalled) return
  try {
    switch (received.tag) {
      case 'iq':
        if (isAnswer(received)) takeSignature(whatsapp, connection, received)
        else answerIq(whatsapp, connection, received)
        break
      case 'message':
        if (connection.losesMessages) lose(whatsapp, connection)
        else takeMessage(whatsapp, connection, received)
        break
      case 'receipt':
        takeReceipt(whatsapp, connection, received)
        break
      case 'ack':
        takeAck(whatsapp, connection, received)
        break
      case 'presence':
        takePresence(whatsapp, connection, received)
        break
      case 'chatstate':
        takeChatState(whatsapp, connection, received)
        break
      default:
        whatsapp.counters.question(received.tag, true)
    }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
    connection.endWith(streamError('500'))
  }
}

function lose(whatsapp: WhatsApp, connection: Connection): void {
  connection.lost += 1
  whatsapp.waiting.look()
}

const isAnswer = ({ attrs }: Node): boolean => attrs.type === 'result' || attrs.type === 'error'

function isOlder(version: readonly number[], oldest: string): boolean {
  const [first = 0, second = 0, third = 0] = oldest.split('.').map(Number)
  const [primary = 0, secondary = 0, tertiary = 0] = version
  if (primary !== first) return primary < first
  return secondary === second ? tertiary < third : secondary < second
}
