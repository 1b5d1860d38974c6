import { execFileSync } from 'node:child_process'

const { PATH = '' } = process.env

/** Variables of the machine's Python: no proxy for this machine, and no files beside the sources. */
export const pythonEnvironment = { PATH, PYTHONDONTWRITEBYTECODE: '1', NO_PROXY: '*' }

/** Returns the reason why there is no Python to play with, or false. `POSTHORN_TEST_REQUIRE=python` turns the reason into a failure. */
export function missingPython(): string | false {
  try {
    const found = execFileSync('python3', ['-c', 'import sys; print(sys.version_info >= (3, 9))'], {
      encoding: 'utf8',
    })
    return found.trim() === 'True' ? false : 'python3 is older than 3.9'
  } catch (error) {
    if ((process.env.POSTHORN_TEST_REQUIRE ?? '').split(/[\s,]+/).includes('python')) throw error
    return 'there is no python3'
  }
}
