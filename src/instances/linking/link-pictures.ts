import { Problem } from '../../contract/problem.ts'
import type { LinkStep } from '../../networks/driver/abilities/linking.ts'
import { FairSemaphore } from '../../runtime/limits/fair-semaphore.ts'
import { pngOf, svgOf } from './qr-picture.ts'

interface Wanted {
  readonly organizationId: string
  readonly instanceId: string
  /** The content of the QR code. */
  readonly text: string
  /** `image/png` or `image/svg+xml`. */
  readonly type: string
}

interface Drawn {
  readonly text: string
  readonly picture: Promise<Uint8Array>
}

/** Pictures that are kept. */
const maxKept = 200

/** The longest text of a QR code, in bytes of UTF-8: more costs too much time, and phones hardly read it. WhatsApp needs some 240. */
export const longestQrText = 1024

/**
 * Draws QR codes, one after the other, with turns for organizations. The picture of the present step of an instance is kept, so however
 * many ask for it, it is drawn once.
 */
export class LinkPictures {
  /** By instance and type; the oldest first. */
  readonly #kept = new Map<string, Drawn>()
  readonly #turns = new FairSemaphore({ limit: 1 })

  /** The picture of a step; throws the problem of one that is no QR code. */
  drawStep({ kind, value }: LinkStep, wanted: Omit<Wanted, 'text'>): Promise<Uint8Array> {
    if (kind === 'qr') return this.draw({ ...wanted, text: value })
    const detail = `The step is of the kind \`${kind}\`: there is no picture of it. Ask for \`application/json\`.`
    throw new Problem('not_acceptable', { detail })
  }

  /** The picture in the wanted type; throws the problem of a text that is too long for a QR code. */
  async draw({ organizationId, instanceId, text, type }: Wanted): Promise<Uint8Array> {
    if (Buffer.byteLength(text) > longestQrText) {
      const detail =
        'The step is too long for a picture. Ask for `application/json`, and show its `value` in another way.'
      throw new Problem('not_acceptable', { detail })
    }
    const key = `${instanceId} ${type}`
    const kept = this.#kept.get(key)
    if (kept?.text === text) return kept.picture
    const picture = this.#turns.run(organizationId, () => draw(text, type))
    this.#keep(key, { text, picture })
    return picture
  }

  #keep(key: string, drawn: Drawn): void {
    this.#kept.delete(key)
    this.#kept.set(key, drawn)
    drawn.picture.catch(() => this.#kept.delete(key))
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > maxKept && oldest !== undefined) this.#kept.delete(oldest)
  }
}

/** Loads the library only when the first picture is drawn: most servers never draw one. */
async function draw(text: string, type: string): Promise<Uint8Array> {
  const { default: qrcode } = await import('qrcode')
  // Each picture leaves the event loop to others before it is drawn.
  await new Promise((resolve) => setImmediate(resolve))
  // As bytes in one segment: to look for shorter ways of writing the text would take most of the time.
  const code = qrcode.create([{ data: Buffer.from(text), mode: 'byte' }], { errorCorrectionLevel: 'M' })
  return type === 'image/png' ? pngOf(code) : svgOf(code)
}
