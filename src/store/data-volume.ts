import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { ConfigError } from '../runtime/config/config.ts'

/** The variable with which the image says that it runs in a container. It is no setting: only the image sets it. */
const marker = 'DATA_MUST_BE_A_VOLUME'

/** File systems that are gone when the container stops. */
const inMemory: ReadonlySet<string> = new Set(['tmpfs', 'ramfs'])

interface Mount {
  readonly point: string
  readonly fileSystem: string
}

/** Reason why a data folder would be lost, and what to do; neither ends with a full stop. */
interface Loss {
  readonly why: string
  readonly advice: string
}

/** Tells whether this process runs in the image of Posthorn. */
export function runsInImage(environment: NodeJS.ProcessEnv = process.env): boolean {
  return Boolean(environment[marker])
}

/** Refuses a data folder that would be lost with the container in which this process runs. */
export function refuseLostFolder(folder: string): void {
  const loss = lossOf(folder)
  if (loss !== undefined) throw new ConfigError(`${loss.why}; ${loss.advice}`)
}

/**
 * Tells why the data folder would be lost with the container. Undefined if it would not, and outside of the image. `mounts` is the
 * text of `/proc/self/mountinfo`.
 */
export function lossOf(
  folder: string,
  environment: NodeJS.ProcessEnv = process.env,
  mounts = ownMounts(),
): Loss | undefined {
  if (!runsInImage(environment) || mounts === undefined) return undefined
  const path = resolve(folder)
  const mount = mountOf(realFolder(path), mounts)
  const place = mount && lossAt(mount)
  if (place === undefined) return undefined
  return {
    why: `the data folder ${path} is ${place}, and all messages and keys would be lost with it`,
    advice: `mount a volume there, for example with \`--volume posthorn:${path}\`, or set POSTHORN_DATA to a folder on one`,
  }
}

function lossAt({ point, fileSystem }: Mount): string | undefined {
  if (inMemory.has(fileSystem)) return 'in the memory of this container'
  return point === '/' ? 'on the disk of this container' : undefined
}

/** Returns the mounts of this process; undefined if the system does not tell. */
function ownMounts(): string | undefined {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8')
  } catch {
    return undefined
  }
}

/** The real path of the folder, or of the nearest one above it that exists. */
function realFolder(folder: string): string {
  let path = folder
  while (!existsSync(path) && dirname(path) !== path) path = dirname(path)
  return realpathSync(path)
}

/** Finds the mount that a path is on: the nearest, and of several at one point the last, which covers the others. */
function mountOf(path: string, mounts: string): Mount | undefined {
  let found: Mount | undefined
  for (const line of mounts.split('\n')) {
    const mount = mountIn(line)
    if (!mount || !isWithin(path, mount.point)) continue
    if (!found || mount.point.length >= found.point.length) found = mount
  }
  return found
}

/** Reads a line of mountinfo (proc(5)): the mount point is its fifth field, and the file system follows a lone dash. */
function mountIn(line: string): Mount | undefined {
  const [mounted = '', kind = ''] = line.split(' - ')
  const point = mounted.split(' ')[4]
  const fileSystem = kind.split(' ')[0]
  return point && fileSystem ? { point: unescaped(point), fileSystem } : undefined
}

/** Spaces, and the backslash itself, stand there as three octal digits. */
function unescaped(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  )
}

function isWithin(path: string, point: string): boolean {
  return point === '/' || path === point || path.startsWith(`${point}/`)
}
