import { type Gateway, openGateway } from './gateway.ts'
import { greeting } from './greeting.ts'
import { type Config, readConfig } from './runtime/config.ts'
import { type Log, openLog } from './runtime/log.ts'

interface ServeOptions {
  /** Called once it serves. */
  readonly began?: () => void
  /** The operator says that the store went back to a backup. */
  readonly restored?: boolean
}

/** Runs the server until it is told to stop: `posthorn serve`, and `npm start`. */
export async function serve({ began = () => {}, restored = false }: ServeOptions = {}): Promise<void> {
  // A full disk or a closed terminal behind them must not end the server: whoever read there has gone, the callers have not.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  const started = await start(restored)
  if (!started) return
  const { gateway, config, log } = started
  // Whoever reads the greeting may tell it to stop at once.
  const stopped = untilStopped()
  began()
  process.stdout.write(greeting(gateway, config, process.stdout.isTTY))
  log.info(gateway.takenOver, 'all instances are running')
  await stopped
  log.info('stopping: finishing work in progress')
  const giveUp = setTimeout(() => process.exit(1), (config.POSTHORN_STOP_SECONDS + 5) * 1000)
  giveUp.unref()
  await gateway.stop()
  log.info('stopped')
}

/** Starts, or says in a sentence why that cannot be and leaves it at the exit code. */
async function start(restored: boolean): Promise<{ gateway: Gateway; config: Config; log: Log } | undefined> {
  let config: Config | undefined
  try {
    config = readConfig(process.env)
    // Whatever the server writes is for its owner alone, also in a folder that somebody else made.
    process.umask(0o077)
    const log = openLog(config.POSTHORN_LOG_LEVEL)
    process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled promise rejection'))
    const endAtOnce = (reason: string, error?: unknown) => {
      log.fatal({ err: error }, reason)
      process.exit(1)
    }
    // Nobody knows what a mistake left behind in memory. What is on disk is whole, and the next start goes on from there.
    process.on('uncaughtException', (error) =>
      endAtOnce('ending at once because of an internal error', error),
    )
    const onReplaced = () => endAtOnce('ending at once: another server has taken over the database')
    const onStoreLost = (cause: Error) => endAtOnce('ending at once: the store is lost', cause)
    return { gateway: await openGateway(config, log, { onReplaced, onStoreLost, restored }), config, log }
  } catch (error) {
    process.stderr.write(`Posthorn cannot start: ${whatToDo(error as NodeJS.ErrnoException, config)}\n`)
    process.exitCode = 1
    // What was begun and could not be taken back must not keep a server alive that does not serve.
    setTimeout(() => process.exit(), 2_000).unref()
    return undefined
  }
}

/** Errors that were written for the operator, by name, as some of their classes are loaded only when they are needed. */
const forOperator = new Set(['ConfigError', 'DataFolderInUse', 'DatabaseInUse', 'StoreUnavailable'])

/** One sentence for the operator; what nobody foresaw also shows where it happened. */
function whatToDo(error: NodeJS.ErrnoException, config: Config | undefined): string {
  const { host, port } = config?.POSTHORN_LISTEN ?? { host: '', port: 0 }
  const data = config?.POSTHORN_DATA
  if (error.syscall === 'listen' && error.code === 'EADDRINUSE')
    return `port ${port} of ${host} is taken by another program; stop that one, or set POSTHORN_LISTEN to another address.`
  if (error.syscall === 'listen' && error.code === 'EACCES')
    return `this user may not listen on port ${port}; set POSTHORN_LISTEN to a port above 1023, and put a proxy in front.`
  if (error.name === 'DatabaseUnusable') return `${error.message}.`
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return `${host} is not an address of this machine; set POSTHORN_LISTEN to one that is.`
  if (error.syscall === 'mkdir' && (error.code === 'EEXIST' || error.code === 'ENOTDIR'))
    return `${error.path ?? data} cannot be the data folder, as a file is in its place; set POSTHORN_DATA to a folder.`
  // What Node says of a folder on a read-only disk, too.
  if (error.syscall === 'mkdir' && error.code === 'ENOENT')
    return `the data folder ${error.path ?? data} cannot be made; make it for this user, or set POSTHORN_DATA to another one.`
  if (error.code === 'EROFS')
    return `the disk of ${error.path ?? data} is read-only; make it writable, or set POSTHORN_DATA to a folder on another one.`
  if (error.code === 'EACCES')
    return `this user may not write to ${error.path ?? data}; change its owner, or set POSTHORN_DATA to another folder.`
  if (error.code === 'ERR_SQLITE_ERROR')
    return `the data folder ${data} cannot be used: ${error.message}; \`npx posthorn doctor\` examines it.`
  if (forOperator.has(error.name)) return `${error.message}.`
  return `${error.message}.\n${error.stack}`
}

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once. */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    let told = false
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (told) process.exit(1)
        told = true
        resolve()
      })
    }
    onOrphaned(resolve)
  })
}

/** npx starts its program by a shell that passes no signal on. If that shell is gone, nobody is left to stop the server. */
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
