import { resolved } from './plot.ts'

/** A chart that is drawn on the page. */
export interface Drawn {
  readonly canvas: HTMLCanvasElement
  readonly title: string
  readonly legend: readonly { readonly label: string; readonly color: string }[]
}

const margin = 24
const lineHeight = 22

/** Draws charts one below the other, with a title, the time and their legends, in the colours that the page has now. */
export function pictureOf(
  charts: readonly Drawn[],
  { title, subtitle }: { readonly title: string; readonly subtitle: string },
): Promise<Blob> {
  const scale = devicePixelRatio
  const page = document.createElement('canvas')
  const width = Math.max(320, ...charts.map(({ canvas }) => canvas.width / scale)) + 2 * margin
  const heights = charts.map(({ canvas }) => canvas.height / scale + 3 * lineHeight)
  page.width = width * scale
  page.height = (heights.reduce((sum, each) => sum + each, 0) + 2 * margin + 2 * lineHeight) * scale
  const context = page.getContext('2d')
  if (!context) return Promise.reject(new Error('This browser draws no pictures.'))
  const root = document.body
  const { fontFamily } = getComputedStyle(root)
  const write = (text: string, x: number, y: number, size: number, weight: number, color: string) => {
    context.font = `${weight} ${size}px ${fontFamily}`
    context.fillStyle = resolved(root, color)
    context.fillText(text, x, y, width - x - margin)
    return context.measureText(text).width
  }
  context.scale(scale, scale)
  context.fillStyle = resolved(root, '--surface')
  context.fillRect(0, 0, width, page.height / scale)
  write(title, margin, margin + 14, 18, 650, '--text')
  write(subtitle, margin, margin + 14 + lineHeight, 13, 400, '--muted')
  let y = margin + 2 * lineHeight + 14
  for (const { canvas, title: name, legend } of charts) {
    write(name, margin, y + 14, 14, 650, '--text')
    let x = margin
    for (const { label, color } of legend) {
      context.fillStyle = resolved(root, color)
      context.fillRect(x, y + 26, 10, 10)
      x += 16 + write(label, x + 16, y + 36, 12, 400, '--muted') + 16
    }
    context.drawImage(canvas, margin, y + 2 * lineHeight, canvas.width / scale, canvas.height / scale)
    y += canvas.height / scale + 3 * lineHeight
  }
  return new Promise((resolve, reject) =>
    page.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('There is no picture.'))), 'image/png'),
  )
}
