import { version } from '../../version.ts'
import { command } from '../command.ts'
import { print } from '../output.ts'

/** `posthorn version`. */
export const versionCommand = command({
  name: 'version',
  summary: 'Print the version.',
  async run() {
    print(version)
  },
})
