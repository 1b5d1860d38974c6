import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

const root = new URL('../../..', import.meta.url).pathname

/** A service of a compose file, as far as the tests look at it. */
export interface ComposeService {
  readonly image: string
  readonly build?: { readonly context: string; readonly dockerfile: string }
  readonly environment?: Readonly<Record<string, string>>
  readonly secrets?: readonly string[]
  readonly volumes?: readonly string[]
  readonly ports?: readonly string[]
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>> | readonly string[]
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly stop_grace_period?: string
  readonly restart: string
  readonly read_only: boolean
  readonly tmpfs: readonly string[]
  readonly cap_drop: readonly string[]
  readonly cap_add?: readonly string[]
  readonly security_opt: readonly string[]
}

export interface ComposeFile {
  readonly name: string
  readonly services: Readonly<Record<string, ComposeService>>
  readonly secrets?: Readonly<Record<string, { readonly file: string }>>
  readonly volumes: Readonly<Record<string, object>>
}

/** Reads a compose file in `deploy`, with the values that its reader puts in `.env` filled in. */
export function readCompose(path: string, values: Readonly<Record<string, string>>): ComposeFile {
  const text = readFileSync(join(root, 'deploy', path), 'utf8')
  const filled = text.replaceAll(
    /\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (_, name: string, kind: string | undefined, rest: string) => {
      const value = values[name]
      if (value === undefined && kind !== '-') throw new Error(`${path} needs ${name}`)
      return value ?? rest
    },
  )
  return parse(filled, { merge: true })
}

/** The variables that the image sets. */
export function imageEnvironment(): Readonly<Record<string, string>> {
  const text = readFileSync(join(root, 'Containerfile'), 'utf8').replaceAll('\\\n', ' ')
  const [, line = ''] = /^ENV (.*)$/m.exec(text) ?? []
  return Object.fromEntries(
    line
      .trim()
      .split(/\s+/)
      .map((pair) => pair.split('=', 2) as [string, string]),
  )
}

/** Has the script that comes with the compose files write secrets below a folder; returns their folder, and their names. */
export function makeSecrets(folder: string): { folder: string; names: readonly string[] } {
  mkdirSync(folder, { recursive: true })
  execFileSync(join(root, 'deploy/compose/make-secrets.sh'), { cwd: folder })
  const made = join(folder, 'secrets')
  return { folder: made, names: readdirSync(made).sort() }
}
