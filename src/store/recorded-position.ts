import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { StorePosition } from './position.ts'

/**
 * The position that the store had reached, recorded in the data folder. Only durable commits are recorded, so a crash never
 * puts it ahead.
 */
export interface RecordedPosition extends Pick<StorePosition, 'store' | 'epoch' | 'count'> {
  /** There was an organization. */
  readonly begun: boolean
}

export const positionFile = (folder: string): string => join(folder, 'store.position')

/** In bytes: long enough that the file is never truncated, and short enough that a disk writes it at once. */
const length = 256

/** The recorded position, or undefined if there is none, or it cannot be read. */
export function readRecordedPosition(folder: string): RecordedPosition | undefined {
  try {
    const { store, epoch, count, begun } = JSON.parse(
      readFileSync(positionFile(folder), 'utf8'),
    ) as RecordedPosition
    return { store, epoch, count, begun }
  } catch {
    return undefined
  }
}

/** Records the position; it is on disk when this returns. */
export function writeRecordedPosition(folder: string, position: RecordedPosition): void {
  const file = positionFile(folder)
  const descriptor = openSync(`${file}.draft`, 'w', 0o600)
  try {
    writeSync(descriptor, textOf(position))
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(`${file}.draft`, file)
}

/**
 * Records the position without waiting for the disk: a power cut may undo this, which leaves an older position,
 * but never a wrong one.
 */
export function updateRecordedPosition(folder: string, position: RecordedPosition): void {
  const descriptor = openSync(positionFile(folder), 'r+')
  try {
    writeSync(descriptor, textOf(position), 0)
  } finally {
    closeSync(descriptor)
  }
}

function textOf({ store, epoch, count, begun }: RecordedPosition): string {
  return `${JSON.stringify({ store, epoch, count, begun }).padEnd(length - 1)}\n`
}
