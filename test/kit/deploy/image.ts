import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { parseEnv, promisify } from 'node:util'
import { endWithUs } from '../processes/end-with-us.ts'

const root = new URL('../../..', import.meta.url).pathname

/** Programs that the base and the image are made with. */
const programs = ['buildah', 'mmdebstrap', 'npm'] as const

/** Tells why no image can be made here; null if it can. `POSTHORN_TEST_REQUIRE=image` turns the reason into a failure. */
export function whyNoImage(): string | null {
  const missing = programs.filter((name) => spawnSync(name, ['--version']).error !== undefined)
  const reason =
    missing.length > 0
      ? `${missing.join(' and ')} not installed (Debian: apt install buildah mmdebstrap)`
      : process.getuid?.() === 0
        ? null
        : 'only root may make an image here'
  if (reason !== null && (process.env.POSTHORN_TEST_REQUIRE ?? '').split(/[\s,]+/).includes('image'))
    throw new Error(reason)
  return reason
}

/** File in the test base with the certificates that the npm of this machine trusts in addition. */
const trusted = '/usr/local/lib/trusted.pem'

/** The labels, variables and commands of an image, as Docker calls them. */
export interface ImageConfiguration {
  readonly User: string
  readonly Env: readonly string[]
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[] | null
  readonly Volumes: Readonly<Record<string, object>>
  readonly ExposedPorts: Readonly<Record<string, object>>
  readonly WorkingDir: string
  readonly StopSignal: string
  readonly Healthcheck: { readonly Test: readonly string[] }
  readonly Labels: Readonly<Record<string, string>>
}

/** Makes images with buildah, which needs no service, in a folder of its own. A container shares the network of the machine. */
export class ImageWorkshop {
  // Images take gigabytes, which would not fit where tests keep their files in memory.
  readonly #folder = mkdtempSync('/var/tmp/posthorn-image-')
  readonly #environment = {
    PATH: process.env.PATH ?? '',
    TMPDIR: this.#folder,
    BUILDAH_ISOLATION: 'chroot',
  }

  #words(words: readonly string[]): readonly string[] {
    return ['--root', join(this.#folder, 'root'), '--runroot', join(this.#folder, 'run'), ...words]
  }

  /** Runs a command of buildah to its end; rejects with all that it said if it fails. */
  async buildah(...words: readonly string[]): Promise<string> {
    const options = { env: this.#environment, cwd: root, maxBuffer: 2 ** 26 }
    const { stdout } = await promisify(execFile)('buildah', this.#words(words), options).catch(
      (error: { stdout: string; stderr: string }) => {
        throw new Error(`buildah ${words[0]} failed:\n${error.stdout}\n${error.stderr}`)
      },
    )
    return stdout.trim()
  }

  /** Makes the image `base`, which stands in for Node's: the Debian of this machine, with its Node and its npm. */
  async makeBase(): Promise<void> {
    const files = join(this.#folder, 'base')
    const modules = join(files, 'usr/local/lib/node_modules')
    const commands = join(files, 'usr/local/bin')
    const archive = join(this.#folder, 'base.tar')
    const { VERSION_CODENAME: suite = 'stable' } = parseEnv(readFileSync('/etc/os-release', 'utf8'))
    const packages = ['--variant=apt', '--include=ca-certificates,libstdc++6,libatomic1']
    await promisify(execFile)('mmdebstrap', ['--quiet', ...packages, suite, archive])
    mkdirSync(modules, { recursive: true })
    mkdirSync(commands)
    cpSync(realpathSync(process.execPath), join(commands, 'node'))
    const npm = realpathSync(spawnSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).stdout.trim())
    cpSync(dirname(dirname(npm)), join(modules, 'npm'), { recursive: true, verbatimSymlinks: true })
    for (const name of ['npm', 'npx'])
      symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(commands, name))
    const { NODE_EXTRA_CA_CERTS: certificates } = process.env
    if (certificates) cpSync(certificates, join(files, trusted))
    const container = await this.buildah('from', 'scratch')
    await this.buildah('add', '--quiet', container, archive, '/')
    await this.buildah('add', '--quiet', container, files, '/')
    if (certificates) await this.buildah('config', '--env', `NODE_EXTRA_CA_CERTS=${trusted}`, container)
    await this.buildah('commit', '--quiet', '--rm', container, 'base')
    for (const path of [archive, files]) rmSync(path, { recursive: true })
  }

  /** Makes the image `posthorn` of this clone. The format is Docker's, since the other has no health checks. */
  async makeImage(values: Readonly<Record<string, string>>): Promise<ImageConfiguration> {
    const given = Object.entries({ BASE: 'localhost/base', ...values }).flatMap(([name, value]) => [
      '--build-arg',
      `${name}=${value}`,
    ])
    const file = ['--format', 'docker', '--file', 'Containerfile']
    await this.buildah('build', ...file, ...given, '--tag', 'posthorn', '.')
    const described = JSON.parse(await this.buildah('inspect', '--type', 'image', 'posthorn'))
    return described.Docker.config
  }

  /** Makes a container of an image, in which commands can be run. */
  container(): Promise<string> {
    return this.buildah('from', 'posthorn')
  }

  /** Starts a command in a container; `options` are those of `buildah run`. */
  start(container: string, options: readonly string[], command: readonly string[]): Running {
    const words = this.#words(['run', ...options, container, '--', ...command])
    return new Running(
      endWithUs(
        spawn('buildah', words, {
          env: this.#environment,
          stdio: ['ignore', 'pipe', 'pipe'],
        }),
      ),
    )
  }

  /** Runs a command in a container to its end, and returns its exit code and its words. */
  async run(container: string, options: readonly string[], command: readonly string[]) {
    const running = this.start(container, options, command)
    return { code: await running.ended, output: running.output() }
  }

  async end(): Promise<void> {
    await this.buildah('rm', '--all').catch(() => undefined)
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** A command that runs in a container. */
export class Running {
  readonly #child: ChildProcess
  #output = ''
  /** Resolves with the exit code. */
  readonly ended: Promise<number>

  constructor(child: ChildProcess) {
    this.#child = child
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.#output += chunk.toString()))
    this.ended = new Promise((resolve) => child.once('close', (code) => resolve(code ?? -1)))
  }

  output(): string {
    return this.#output
  }

  /** Sends a signal to the process of the command itself, as a container's engine does; false if it has none yet or any more. */
  signal(signal: NodeJS.Signals, program: string): boolean {
    const pid = descendants(this.#child.pid ?? 0).find((each) => commandOf(each).includes(program))
    return pid !== undefined && process.kill(pid, signal)
  }
}

/** The processes that a process started, in any of its threads, and those that these started; the last first. */
function descendants(pid: number): number[] {
  const threads = globSync(`/proc/${pid}/task/*/children`)
  const children = threads.flatMap((file) => textOf(file).split(' ').filter(Boolean).map(Number))
  return [...children.flatMap(descendants), ...children]
}

const commandOf = (pid: number) => textOf(`/proc/${pid}/cmdline`).split('\0')

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // It ended meanwhile.
    return ''
  }
}
