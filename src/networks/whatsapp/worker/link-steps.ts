import { type BinaryNode, getBinaryNodeChild, type WASocket } from 'baileys'
import type { Observation } from '../../driver/observation.ts'
import type { WorkerClientOptions } from '../processes/worker-protocol.ts'

/** Milliseconds that the library shows the first QR code, and each after that. */
const firstShown = 60_000
const nextShown = 20_000
/** Codes that there are before WhatsApp ends the attempt. */
const codes = 6

export interface LinkStepsOptions extends Pick<WorkerClientOptions, 'link' | 'codeLifetime'> {
  readonly tell: (step: Observation) => void
  /** WhatsApp gives no code to link the phone number. */
  readonly refused: () => void
}

/** The steps that a person is shown while a client is linked. */
export class LinkSteps {
  readonly #sock: WASocket
  readonly #options: LinkStepsOptions
  #shown = 0

  constructor(sock: WASocket, options: LinkStepsOptions) {
    this.#sock = sock
    this.#options = options
  }

  /** The library offers a QR code. It is the first time that a pairing code can be asked for. */
  show(qr: string): void {
    const { link, tell } = this.#options
    this.#shown += 1
    if (link.kind === 'qr') {
      const expires_at = Date.now() + this.#lifetime(this.#shown)
      tell({ kind: 'link-step', step: { kind: 'qr', value: qr, expires_at } })
    } else if (this.#shown === 1) void this.#showCode(link.phone)
  }

  /** It lasts as long as the QR codes would have. It is shown only once WhatsApp has told the phone. */
  async #showCode(phone: string): Promise<void> {
    const { tell, refused } = this.#options
    const { ws } = this.#sock
    let lasts = 0
    for (let number = 1; number <= codes; number++) lasts += this.#lifetime(number)
    const expires_at = Date.now() + lasts
    const code = Promise.withResolvers<string>()
    // Nothing else is asked of WhatsApp before the account is linked.
    ws.on('CB:iq,type:error', refused)
    ws.on('CB:iq,type:result,link_code_companion_reg', (answer: BinaryNode) => {
      const reply = getBinaryNodeChild(answer, 'link_code_companion_reg')
      if (reply?.attrs.stage === 'companion_finish') return
      void code.promise.then((value) =>
        tell({ kind: 'link-step', step: { kind: 'code', value, expires_at } }),
      )
    })
    try {
      const value = await this.#sock.requestPairingCode(phone)
      code.resolve(`${value.slice(0, 4)}-${value.slice(4)}`)
    } catch {
      // The socket is closed, which is reported by itself.
    }
  }

  #lifetime(number: number): number {
    return this.#options.codeLifetime ?? (number === 1 ? firstShown : nextShown)
  }
}
