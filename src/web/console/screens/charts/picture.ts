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
  const { places, width, height } = placesOf(charts, scale)
  page.width = width * scale
  page.height = height * scale
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
  context.fillRect(0, 0, width, height)
  write(title, margin, margin + 14, 18, 650, '--text')
  write(subtitle, margin, margin + 14 + lineHeight, 13, 400, '--muted')
  for (const { chart, x: left, y } of places) {
    const { canvas, title: name, legend } = chart
    write(name, left, y + 14, 14, 650, '--text')
    let x = left
    for (const { label, color } of legend) {
      context.fillStyle = resolved(root, color)
      context.fillRect(x, y + 26, 10, 10)
      x += 16 + write(label, x + 16, y + 36, 12, 400, '--muted') + 16
    }
    context.drawImage(canvas, left, y + 2 * lineHeight, canvas.width / scale, canvas.height / scale)
  }
  return new Promise((resolve, reject) =>
    page.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('There is no picture.'))), 'image/png'),
  )
}

/** Returns where each chart stands: beside the one before it if there is room, else below. */
function placesOf(charts: readonly Drawn[], scale: number) {
  const width = Math.max(320, ...charts.map(({ canvas }) => canvas.width / scale)) + 2 * margin
  let [x, y, bottom] = [margin, margin + 2 * lineHeight + 14, 0]
  const places = charts.map((chart) => {
    const [wide, tall] = [chart.canvas.width / scale, chart.canvas.height / scale + 3 * lineHeight]
    if (x > margin && x + wide > width - margin) [x, y] = [margin, bottom]
    const place = { chart, x, y }
    bottom = Math.max(bottom, y + tall)
    x += wide + margin
    return place
  })
  return { places, width, height: bottom + margin }
}
