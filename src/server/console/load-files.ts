import { inChild } from '../../runtime/system/in-child.ts'
import type { ConsoleFiles, PageName } from './console-files.ts'

/**
 * Reads the console, or the page on which customers link their accounts: less than a megabyte. It takes a third of a second,
 * nearly all of it in a child process.
 */
export function loadFiles(page: PageName): Promise<ConsoleFiles> {
  return inChild(new URL('./print-files.ts', import.meta.url), { words: [page] })
}
