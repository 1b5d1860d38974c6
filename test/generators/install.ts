import { fileURLToPath } from 'node:url'
import { installPackages } from '../kit/processes/installed-package.ts'

/** Folder in which the generators are installed. */
export const generators = fileURLToPath(new URL('.', import.meta.url))

/** Installs the generators, unless they are there; returns the reason if npm cannot. */
export function installGenerators(): Promise<string | undefined> {
  return installPackages(generators, 'generators')
}
