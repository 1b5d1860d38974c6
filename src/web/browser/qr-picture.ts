import { Component, createRef, h } from 'preact'

/** Pixels that the server draws for each module of a QR code. */
const drawnFor = 8

interface QrPictureProps {
  readonly source: string
  readonly alt: string
}

/**
 * The picture of a QR code, as large as fits into the element around it, but with the same whole number of the screen's pixels for each
 * module: scanners read modules of unequal widths less well. The element around it keeps its own size.
 */
export class QrPicture extends Component<QrPictureProps> {
  readonly #image = createRef<HTMLImageElement>()
  readonly #fit = () => fit(this.#image.current)
  readonly #sizes = new ResizeObserver(this.#fit)

  override componentDidMount(): void {
    const room = this.#image.current?.parentElement
    if (room) this.#sizes.observe(room)
    // A person who zooms changes the pixels of the screen, and perhaps nothing else.
    addEventListener('resize', this.#fit)
  }

  override componentWillUnmount(): void {
    this.#sizes.disconnect()
    removeEventListener('resize', this.#fit)
  }

  override render({ source, alt }: QrPictureProps) {
    return h('img', { ref: this.#image, src: source, alt, onLoad: this.#fit })
  }
}

function fit(image: HTMLImageElement | null): void {
  const room = image?.parentElement
  if (!room || image.naturalWidth === 0) return
  const { paddingLeft, paddingRight } = getComputedStyle(room)
  const width = room.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)
  const modules = image.naturalWidth / drawnFor
  const pixels = Math.floor((width * devicePixelRatio) / modules)
  // In less than a pixel for each, it can only be as large as there is room.
  const size = pixels > 0 ? (pixels * modules) / devicePixelRatio : width
  // Attributes, as the policy of the page allows no style of an element.
  for (const name of ['width', 'height']) image.setAttribute(name, String(size))
}
