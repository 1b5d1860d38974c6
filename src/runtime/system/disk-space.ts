import { statfs } from 'node:fs/promises'

/** Returns the bytes of the disk that a folder is on, and those that this user may still fill; undefined if it cannot be read. */
export async function diskSpace(folder: string): Promise<{ free: number; size: number } | undefined> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder)
    return { free: bavail * bsize, size: blocks * bsize }
  } catch {
    return undefined
  }
}
