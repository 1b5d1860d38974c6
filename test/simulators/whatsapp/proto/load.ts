import { readFileSync } from 'node:fs'
import protobuf from 'protobufjs'

/** Encodes messages of one type, and decodes them. */
export interface Codec<T> {
  /** Throws if the value does not fit its type, also if it has a field or a name that the file does not have. */
  encode(value: T): Uint8Array
  /**
   * Decodes a message; a field that is absent on the wire is absent here. Throws if these are not the bytes of such a
   * message.
   */
  decode(bytes: Uint8Array): T
}

/**
 * Reads a .proto file, and gives for each of its messages (by its full name, such as `CertChain.Details`) a codec.
 * Fields keep the names that they have in the file. Enumerations are their names (a value that the file does not name
 * stays a number), bytes are views into what was decoded, and integers of 64 bits are numbers, since nothing here is
 * larger than 2^53.
 */
export function loadProto(file: URL): <T extends object>(name: string) => Codec<T> {
  const { root } = protobuf.parse(readFileSync(file, 'utf8'), { keepCase: true })
  return <T extends object>(name: string): Codec<T> => {
    const type = root.lookupType(name)
    return {
      encode: (value) => {
        refuseUnknown(type, value)
        return type.encode(type.fromObject(value)).finish()
      },
      decode: (bytes) => type.toObject(type.decode(bytes), { longs: Number, enums: String }) as T,
    }
  }
}

/** protobufjs drops what it does not know, which would hide a slip in the types beside a .proto file. */
function refuseUnknown(type: protobuf.Type, value: object): void {
  for (const [name, held] of Object.entries(value)) {
    const field = type.fields[name]
    if (!field) throw new Error(`${type.fullName} has no field ${name}.`)
    const { resolvedType } = field.resolve()
    for (const each of field.repeated ? held : [held]) {
      if (resolvedType instanceof protobuf.Type) refuseUnknown(resolvedType, each)
      else if (typeof each === 'string' && resolvedType && !(each in resolvedType.values))
        throw new Error(`${type.fullName}.${name} has no value ${each}.`)
    }
  }
}
