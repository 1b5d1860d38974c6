import { type Connection, streamError } from './connection.ts'
import type { Fault } from './faults.ts'
import { node } from './wire/node.ts'

/** Carries out what goes wrong with a stream; false if the stream goes on as if nothing had happened. */
export function misbehaviour(connection: Connection, fault: Fault): boolean {
  switch (fault.kind) {
    case 'cut':
      connection.cut()
      return true
    case 'close':
      connection.close()
      return true
    case 'stall':
    case 'drop':
      connection.isStalled = true
      return true
    case 'refuse':
      connection.fail(fault.code, fault.attributes)
      return true
    case 'stream-error':
      connection.endWith(fault.name === 'xmlstreamend' ? node('xmlstreamend') : streamError(fault.name))
      return true
    case 'garbage':
      connection.sendGarbage(fault.sealed ?? false)
      return false
    case 'slow':
      connection.slowness = fault.milliseconds
      return false
    case 'huge':
      connection.send(node('ib', {}, Buffer.alloc(fault.bytes, 0x61)))
      return false
    default:
      return false
  }
}
