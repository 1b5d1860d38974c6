import { readConfig } from '../networks/config.ts'
import type { Config } from '../runtime/config/config.ts'
import { type Log, openLog } from '../runtime/log.ts'
import { greeting } from './greeting.ts'
import { type Gateway, openGateway } from './start.ts'

interface ServeOptions {
  /** Called once it serves. */
  readonly began?: () => void
  /** The operator says that the store was restored from a backup. */
  readonly restored?: boolean
}

/** Runs the server until it is told to stop: `posthorn serve`, and `npm start`. */
export async function runProcess({ began = () => {}, restored = false }: ServeOptions = {}): Promise<void> {
  // A full disk or a closed terminal behind these streams must not end the server: its callers are still there.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  const started = await start(restored)
  if (!started) return
  const { gateway, config, log } = started
  // Listen first: the reader of the greeting may stop the server at once.
  const stopped = untilStopped()
  began()
  // A link that signs in is only for the person at the terminal.
  const link = process.stdout.isTTY ? await gateway.signInLink().catch(() => undefined) : undefined
  process.stdout.write(greeting({ ...gateway, link }, config, process.stdout.isTTY))
  log.info(gateway.takenOver, 'all instances are running')
  await stopped
  log.info('stopping: finishing work in progress')
  const giveUp = setTimeout(() => process.exit(1), (config.POSTHORN_STOP_SECONDS + 5) * 1000)
  giveUp.unref()
  await gateway.stop()
  log.info('stopped')
}

/** Starts the server, or prints why it cannot start and sets the exit code. */
async function start(restored: boolean): Promise<{ gateway: Gateway; config: Config; log: Log } | undefined> {
  let config: Config | undefined
  try {
    config = readConfig(process.env)
    // Only the owner may read the files that the server writes, even in a folder that another user created.
    process.umask(0o077)
    const log = openLog(config.POSTHORN_LOG_LEVEL)
    process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled promise rejection'))
    const endAtOnce = (reason: string, error?: unknown) => {
      log.fatal({ err: error }, reason)
      process.exit(1)
    }
    // After an unexpected error, memory may be in any state. The data on disk is consistent, and the next start goes on from
    // there.
    process.on('uncaughtException', (error) =>
      endAtOnce('ending at once because of an internal error', error),
    )
    const onReplaced = (why: string) => endAtOnce(`ending at once: ${why}`)
    const onStoreLost = (cause: Error) => endAtOnce('ending at once: the store is lost', cause)
    return { gateway: await openGateway(config, log, { onReplaced, onStoreLost, restored }), config, log }
  } catch (error) {
    process.stderr.write(`Posthorn cannot start: ${whatToDo(error as NodeJS.ErrnoException, config)}\n`)
    process.exitCode = 1
    // Something that was started and could not be stopped must not keep the process alive.
    setTimeout(() => process.exit(), 2_000).unref()
    return undefined
  }
}

/** Errors whose text is for the operator; by name, because some of their classes are loaded only when they are needed. */
const forOperator = new Set(['ConfigError', 'DataFolderInUse', 'StoreUnavailable'])

/** One sentence for the operator; an unexpected error also shows its stack. */
function whatToDo(error: NodeJS.ErrnoException, config: Config | undefined): string {
  const { host, port } = config?.POSTHORN_LISTEN ?? { host: '', port: 0 }
  const data = config?.POSTHORN_DATA
  if (error.syscall === 'listen' && error.code === 'EADDRINUSE')
    return `another program listens on port ${port} of ${host}; stop it, or set POSTHORN_LISTEN to another address.`
  if (error.syscall === 'listen' && error.code === 'EACCES')
    return `this user may not listen on port ${port}; set POSTHORN_LISTEN to a port above 1023, and put a proxy in front of it.`
  if (error.name === 'DatabaseUnusable') return `${error.message}.`
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return `${host} is not an address of this machine; set POSTHORN_LISTEN to one that is.`
  if (error.syscall === 'mkdir' && (error.code === 'EEXIST' || error.code === 'ENOTDIR'))
    return `the data folder cannot be ${error.path ?? data}, because that is a file; set POSTHORN_DATA to a folder.`
  // File systems of the kernel, such as /proc, take no folders.
  if (error.syscall === 'mkdir' && (error.code === 'ENOENT' || error.code === 'EPERM'))
    return `the data folder ${error.path ?? data} cannot be created; create it for this user, or set POSTHORN_DATA to another folder.`
  if (error.code === 'EROFS')
    return `the disk of ${error.path ?? data} is read-only; make it writable, or set POSTHORN_DATA to a folder on another disk.`
  if (error.code === 'EACCES')
    return `this user may not write to ${error.path ?? data}; change its owner, or set POSTHORN_DATA to another folder.`
  if (error.code === 'ERR_SQLITE_ERROR')
    return `the data folder ${data} cannot be used: ${error.message}; run \`npx posthorn doctor\` to find out more.`
  if (forOperator.has(error.name)) return error.message.endsWith('?') ? error.message : `${error.message}.`
  return `${error.message}.\n${error.stack}`
}

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once. */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    let stopping = false
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (stopping) process.exit(1)
        stopping = true
        resolve()
      })
    }
    onOrphaned(resolve)
  })
}

/** Stops the server when its shell is gone: npx starts its program through a shell that forwards no signals. */
function onOrphaned(stop: () => void): void {
  if (process.env.npm_command === undefined) return
  const starter = process.ppid
  const look = setInterval(() => {
    if (process.ppid === starter) return
    clearInterval(look)
    stop()
  }, 500)
  look.unref()
}
