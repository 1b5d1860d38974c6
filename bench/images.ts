import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { confirmKept, measureAccept } from './accept.ts'
import type { Figure } from './figure.ts'
import { imageBytes, type LoadReport, sendImages } from './load.ts'

/** Durable accept of uploads: each image is a file of its own, on disk before its answer. */
export const images: Figure = {
  name: 'images',
  measure(bench) {
    return measureAccept(bench, {
      figure: 'durable accept of 20 KB images, 16 connections',
      data: join(bench.folder, 'images'),
      send: sendImages,
      confirm(data, loads) {
        confirmKept(data, loads)
        confirmFiles(data, loads)
      },
      goal: 0.3,
    })
  },
}

/** Throws where fewer whole files are in the data folder than images were accepted. */
function confirmFiles(data: string, loads: readonly LoadReport[]): void {
  const folder = join(data, 'media', 'files')
  const kept = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(folder, name)))
    .filter((file) => file.isFile() && file.size === imageBytes).length
  const accepted = loads.reduce((sum, load) => sum + load.accepted, 0)
  if (kept < accepted) throw new Error(`${accepted} images were accepted, and ${kept} are on disk`)
}
