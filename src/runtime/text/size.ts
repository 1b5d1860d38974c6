const units = ['bytes', 'KB', 'MB', 'GB', 'TB']

/**
 * A number of bytes as people read it, such as `16 MB`. A KB is 1,024 bytes and an MB 1,024 KB, everywhere in Posthorn. What
 * is left beyond one decimal is cut off, so that a limit is never said to be more than it is.
 */
export function sizeInWords(bytes: number): string {
  let size = bytes
  let unit = 0
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024
    unit++
  }
  return bytes === 1 ? '1 byte' : `${Math.floor(size * 10) / 10} ${units[unit]}`
}
