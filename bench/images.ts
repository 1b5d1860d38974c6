import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { confirmKept, measureAccept } from './accept.ts'
import type { Figure } from './figure.ts'
import { imageBytes, type LoadReport, sendImages } from './load.ts'

/** Durable accept of uploads: each image is a file of its own, kept before its answer. */
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
      goal: 0.25,
    })
  },
}

/** Throws if the store holds fewer whole files than images were accepted. */
function confirmFiles(data: string, loads: readonly LoadReport[]): void {
  const kept = countFiles(data)
  const accepted = loads.reduce((sum, load) => sum + load.accepted, 0)
  if (kept < accepted) throw new Error(`${accepted} images were accepted, and ${kept} are kept`)
}

function countFiles(data: string): number {
  const database = new DatabaseSync(join(data, 'posthorn.db'), { readOnly: true })
  try {
    const whole = database.prepare('select count(*) as count from small_files where length(bytes) = ?')
    return Number(whole.get(imageBytes)?.count)
  } finally {
    database.close()
  }
}
