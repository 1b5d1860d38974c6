import type { Metadata, Sharp } from 'sharp'
import type { Thumbnail } from '../content/content.ts'

/** Of the longer side, in pixels. */
const longestSide = 72

/** It is sent to every device within the message, in bytes. */
const largest = 10 * 1024

/** Size of an unpacked image, in pixels, and in bytes if it can only be unpacked as a whole. */
const maxPixels = 64 * 1024 * 1024
const maxAtOnce = 128 * 1024 * 1024

/** In pixels. To shrink millions of rows to one takes seconds, which no timeout ends, and hundreds of wide ones much memory. */
const longestUnpackedSide = 20_000

/** Seconds that this may take. */
const longestTime = 5

let sharp: Promise<((image: Uint8Array) => Sharp) | null> | undefined

/** Makes a thumbnail of a JPEG or PNG. Null if it cannot be read, is too large, or takes too long, and without `sharp`. Never rejects. */
export async function thumbnailOf(image: Uint8Array): Promise<Thumbnail | null> {
  sharp ??= loadSharp()
  const open = await sharp
  if (!open) return null
  try {
    const about = await open(image).metadata()
    const { width, height } = about
    if (Math.max(width, height) > longestUnpackedSide || bytesAtOnce(about) > maxAtOnce) return null
    const picture = open(image)
      .autoOrient()
      .resize({ width: longestSide, height: longestSide, fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .jpeg({ quality: 50 })
      .timeout({ seconds: longestTime })
    const { data, info } = await picture.toBuffer({ resolveWithObject: true })
    if (data.length > largest) return null
    const isTurned = width > height !== info.width > info.height && width !== height
    return { jpeg: data, width: isTurned ? height : width, height: isTurned ? width : height }
  } catch {
    return null
  }
}

/**
 * Returns the bytes of an image that are in memory at once: all, if it is stored so that it becomes clearer step by step.
 */
function bytesAtOnce({ width, height, channels, depth, isProgressive }: Metadata): number {
  return isProgressive ? width * height * channels * (depth === 'uchar' ? 1 : 2) : 0
}

/** The library is optional, and only reads the formats of which thumbnails are made. */
async function loadSharp(): Promise<((image: Uint8Array) => Sharp) | null> {
  try {
    const { default: library } = await import('sharp')
    library.concurrency(1)
    library.cache(false)
    library.block({ operation: ['VipsForeignLoad'] })
    library.unblock({ operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer'] })
    return (image) => library(image, { limitInputPixels: maxPixels, failOn: 'truncated', pages: 1 })
  } catch {
    return null
  }
}
