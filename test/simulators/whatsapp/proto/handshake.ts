import { type Codec, loadProto } from './load.ts'

/** The steps of the handshake; each message has one of them. */
export interface HandshakeMessage {
  readonly clientHello?: HandshakePart
  readonly serverHello?: HandshakePart
  readonly clientFinish?: HandshakePart
}

/** A finish has no ephemeral key; a hello of the client has nothing else unless it resumes. */
export interface HandshakePart {
  readonly ephemeral?: Uint8Array
  readonly static?: Uint8Array
  readonly payload?: Uint8Array
}

export interface CertChain {
  readonly leaf?: SignedDetails
  readonly intermediate?: SignedDetails
}

export interface SignedDetails {
  /** The bytes of CertDetails, as they were signed. */
  readonly details?: Uint8Array
  readonly signature?: Uint8Array
}

export interface CertDetails {
  readonly serial?: number
  readonly issuerSerial?: number
  /** 32 bytes. */
  readonly key?: Uint8Array
  /** Seconds since 1970, as is notAfter. */
  readonly notBefore?: number
  readonly notAfter?: number
}

export interface Version {
  readonly primary?: number
  readonly secondary?: number
  readonly tertiary?: number
  readonly quaternary?: number
  readonly quinary?: number
}

/** The client that connects: a login has a username, a registration has devicePairingData. */
export interface ClientPayload {
  /** The digits of the phone number. */
  readonly username?: number
  readonly device?: number
  readonly passive?: boolean
  readonly pull?: boolean
  readonly pushName?: string
  readonly sessionId?: number
  readonly shortConnect?: boolean
  readonly connectType?: number
  readonly connectReason?: string | number
  readonly connectAttemptCount?: number
  readonly lidDbMigrated?: boolean
  readonly devicePairingData?: Registration
  readonly userAgent?: UserAgent
  readonly webInfo?: { readonly version?: string; readonly webSubPlatform?: string | number }
}

export interface Registration {
  /** The registration id, 4 bytes, big-endian. */
  readonly eRegid?: Uint8Array
  /** 5 stands for Curve25519. */
  readonly eKeytype?: Uint8Array
  /** The identity key, 32 bytes. */
  readonly eIdent?: Uint8Array
  /** The id of the signed pre-key, 3 bytes, big-endian. */
  readonly eSkeyId?: Uint8Array
  readonly eSkeyVal?: Uint8Array
  readonly eSkeySig?: Uint8Array
  /** The MD5 of the client's version as text. */
  readonly buildHash?: Uint8Array
  /** The bytes of DeviceProps. */
  readonly deviceProps?: Uint8Array
}

export interface UserAgent {
  readonly platform?: string | number
  readonly appVersion?: Version
  readonly mcc?: string
  readonly mnc?: string
  readonly osVersion?: string
  readonly manufacturer?: string
  readonly device?: string
  readonly osBuildNumber?: string
  readonly releaseChannel?: string | number
  readonly localeLanguageIso6391?: string
  readonly localeCountryIso31661Alpha2?: string
}

export interface DeviceProps {
  readonly os?: string
  readonly version?: Version
  readonly platformType?: string | number
  readonly requireFullSync?: boolean
  readonly historySyncConfig?: {
    readonly storageQuotaMb?: number
    readonly inlineInitialPayloadInE2EeMsg?: boolean
    readonly recentSyncDaysLimit?: number
  }
}

const codec = loadProto(new URL('handshake.proto', import.meta.url))

export const handshakeMessages: Codec<HandshakeMessage> = codec<HandshakeMessage>('HandshakeMessage')
export const certChains: Codec<CertChain> = codec<CertChain>('CertChain')
export const certDetails: Codec<CertDetails> = codec<CertDetails>('CertChain.Details')
export const clientPayloads: Codec<ClientPayload> = codec<ClientPayload>('ClientPayload')
export const deviceProps: Codec<DeviceProps> = codec<DeviceProps>('DeviceProps')
