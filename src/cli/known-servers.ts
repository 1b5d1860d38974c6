import { homedir } from 'node:os'
import { join } from 'node:path'
import { readSecretFile, writeSecretFile } from '../runtime/config/secret-file.ts'
import { Refusal } from './command.ts'

/** A server to which a person has logged in on this machine. */
export interface KnownServer {
  readonly url: string
  readonly key: string
}

/** The file with all of them, in the folder that the XDG Base Directory Specification names; only its owner may read it. */
function fileOf(environment: NodeJS.ProcessEnv): string {
  const folder = environment.XDG_CONFIG_HOME || join(homedir(), '.config')
  return join(folder, 'posthorn', 'servers.json')
}

/** The servers that are known on this machine, by their names. */
export function knownServers(environment = process.env): Readonly<Record<string, KnownServer>> {
  const file = fileOf(environment)
  const text = readSecretFile(file)
  if (!text) return {}
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal(`${file} is not JSON; remove it and log in again`)
  }
}

/** Remembers servers; one with the value undefined is forgotten. */
export function rememberServers(
  servers: Readonly<Record<string, KnownServer | undefined>>,
  environment = process.env,
): void {
  const all = { ...knownServers(environment), ...servers }
  writeSecretFile(fileOf(environment), JSON.stringify(all, null, 2))
}
