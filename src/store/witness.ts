import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Standing } from './standing.ts'

/** What the data folder remembers of the store. It holds only what was committed durably before, so a crash never puts it ahead. */
export interface Witnessed extends Pick<Standing, 'store' | 'epoch' | 'count'> {
  /** There was an organization. */
  readonly begun: boolean
}

export const witnessFile = (folder: string): string => join(folder, 'store.witness')

/** So long that it is never truncated, and so short that a disk writes it at once. */
const length = 256

/** What the data folder remembers, or undefined if it has never had a store, or what is there cannot be read. */
export function readWitness(folder: string): Witnessed | undefined {
  try {
    const { store, epoch, count, begun } = JSON.parse(readFileSync(witnessFile(folder), 'utf8')) as Witnessed
    return { store, epoch, count, begun }
  } catch {
    return undefined
  }
}

/** Remembers the store as it is, on disk when this returns. */
export function writeWitness(folder: string, witnessed: Witnessed): void {
  const file = witnessFile(folder)
  const descriptor = openSync(`${file}.draft`, 'w', 0o600)
  try {
    writeSync(descriptor, textOf(witnessed))
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(`${file}.draft`, file)
}

/**
 * Remembers the store as it is now, without waiting for the disk: a power cut may take this back, which makes a witness that
 * knows less and not one that lies.
 */
export function touchWitness(folder: string, witnessed: Witnessed): void {
  const descriptor = openSync(witnessFile(folder), 'r+')
  try {
    writeSync(descriptor, textOf(witnessed), 0)
  } finally {
    closeSync(descriptor)
  }
}

function textOf({ store, epoch, count, begun }: Witnessed): string {
  return `${JSON.stringify({ store, epoch, count, begun }).padEnd(length - 1)}\n`
}
