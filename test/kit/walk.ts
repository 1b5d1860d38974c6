import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Posthorn } from './posthorn.ts'

const run = promisify(execFile)

/** The commands on a page of the documentation, from the root of the repository: one block after the other. */
export function commandsOn(page: string, heading?: string): string[] {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8')
  const section =
    heading === undefined ? text : (text.split(`\n${heading}\n`)[1]?.split(/\n#{2,3} /)[0] ?? '')
  return [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block)
}

/**
 * Types commands as they stand, in this folder, with the admin key as `KEY`. Examples of the page are replaced by their
 * values here.
 */
export class Walker {
  readonly #posthorn: Posthorn
  readonly #replaced: Readonly<Record<string, string>>
  readonly #folder: string

  constructor(posthorn: Posthorn, folder: string, replaced: Readonly<Record<string, string>>) {
    this.#posthorn = posthorn
    this.#folder = folder
    this.#replaced = { 'http://127.0.0.1:8080': posthorn.url, ...replaced }
  }

  /** Returns the output of the command. Rejects if it fails. */
  async type(block: string): Promise<string> {
    const { adminKey } = this.#posthorn
    let here = block
    for (const [example, real] of Object.entries(this.#replaced)) here = here.replaceAll(example, real)
    const options = { cwd: this.#folder, env: { ...process.env, KEY: adminKey } }
    return (await run('bash', ['-ec', here], options)).stdout
  }
}
