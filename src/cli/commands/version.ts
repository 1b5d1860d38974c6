import { version } from '../../version.ts'
import type { Command } from '../command.ts'
import { print } from '../output.ts'

/** `posthorn version`. */
export const versionCommand: Command = {
  name: 'version',
  summary: 'Print the version.',
  operands: [],
  options: {},
  async run() {
    print(version)
    return undefined
  },
}
