import { type ClientPayload, clientPayloads, handshakeMessages } from '../proto/handshake.ts'
import { agree, makeKeyPair } from './key-pair.ts'
import { type Cipher, Transcript } from './noise.ts'
import type { NoiseCertificate } from './noise-certificate.ts'

/** Known once both sides have their keys. */
export interface Agreed {
  readonly login: ClientPayload
  /** The client's own key, 32 bytes. */
  readonly staticKey: Uint8Array
  readonly incoming: Cipher
  readonly outgoing: Cipher
}

/** The server's side of the handshake with one client. */
export class ServerHandshake {
  readonly #certificate: NoiseCertificate
  readonly #prologue: Uint8Array
  readonly #ephemeral = makeKeyPair()
  #transcript: Transcript | undefined

  /** @param prologue the four bytes with which the client began */
  constructor(certificate: NoiseCertificate, prologue: Uint8Array) {
    this.#certificate = certificate
    this.#prologue = prologue
  }

  /** The server's hello. Throws if the client's is broken. */
  answer(hello: Uint8Array): Uint8Array {
    const { clientHello } = handshakeMessages.decode(hello)
    if (clientHello?.ephemeral?.length !== 32)
      throw new Error("broken handshake: the client's hello has no key")
    // A client that wants to resume, by a key that it kept, is told to begin anew: its hello counts as that of the pattern
    // XX.
    const pattern = clientHello.static ? 'XXfallback' : 'XX'
    const transcript = new Transcript(`Noise_${pattern}_25519_AESGCM_SHA256`, this.#prologue)
    this.#transcript = transcript
    const { keys, chain } = this.#certificate
    transcript.mix(clientHello.ephemeral)
    transcript.mix(this.#ephemeral.public)
    transcript.agree(agree(this.#ephemeral, clientHello.ephemeral))
    const own = transcript.encrypt(keys.public)
    transcript.agree(agree(keys, clientHello.ephemeral))
    const payload = transcript.encrypt(chain)
    return handshakeMessages.encode({
      serverHello: { ephemeral: this.#ephemeral.public, static: own, payload },
    })
  }

  /** Reads the last message of the handshake. Throws if it is broken. */
  finish(message: Uint8Array): Agreed {
    const transcript = this.#transcript
    if (!transcript) throw new Error('there is no finish before a hello')
    const { clientFinish } = handshakeMessages.decode(message)
    if (!clientFinish?.static || !clientFinish.payload)
      throw new Error("broken handshake: the client's finish lacks its key or its payload")
    const staticKey = transcript.decrypt(clientFinish.static)
    transcript.agree(agree(this.#ephemeral, staticKey))
    const login = clientPayloads.decode(transcript.decrypt(clientFinish.payload))
    const [incoming, outgoing] = transcript.split()
    return { login, staticKey, incoming, outgoing }
  }
}
