import { loadProto } from './load.ts'

export interface SenderKeyMessage {
  id?: number
  iteration?: number
  ciphertext?: Uint8Array
}

export interface SenderKeyDistribution {
  id?: number
  iteration?: number
  chainKey?: Uint8Array
  signingKey?: Uint8Array
}

const codec = loadProto(new URL('sender-key.proto', import.meta.url))

export const senderKeyMessageCodec = codec<SenderKeyMessage>('SenderKeyMessage')
export const senderKeyDistributionCodec = codec<SenderKeyDistribution>('SenderKeyDistributionMessage')
