import { openGateway } from './gateway.ts'
import { ConfigError, readConfig } from './runtime/config.ts'
import { openLog } from './runtime/log.ts'
import { DataFolderInUse } from './store/server-lock.ts'

/** Runs the server until it is told to stop: `posthorn serve`, and `npm start`. */
export async function serve(): Promise<void> {
  try {
    const config = readConfig(process.env)
    const log = openLog(config.POSTHORN_LOG_LEVEL)
    process.on('unhandledRejection', (error) =>
      log.error({ err: error }, 'a promise was rejected and nobody looked'),
    )
    const gateway = await openGateway(config, log)
    greet(gateway)
    await untilStopped()
    log.info('stopping: finishing what is under way')
    const giveUp = setTimeout(() => process.exit(1), (config.POSTHORN_STOP_SECONDS + 5) * 1000)
    giveUp.unref()
    await gateway.stop()
    log.info('stopped')
  } catch (error) {
    if (!isForOperator(error)) throw error
    process.stderr.write(`Posthorn cannot start: ${(error as Error).message}.\n`)
    process.exitCode = 1
  }
}

/** Errors whose message tells the operator what to do; others are mistakes of ours and show where they happened. */
function isForOperator(error: unknown): boolean {
  if (error instanceof ConfigError || error instanceof DataFolderInUse) return true
  return ['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL', 'ENOTFOUND'].includes(
    (error as NodeJS.ErrnoException).code ?? '',
  )
}

function greet({ url, defaultNetwork, firstStart }: Awaited<ReturnType<typeof openGateway>>): void {
  const lines = [
    `Posthorn serves on ${url}`,
    `  reference         ${url}/docs`,
    `  contract          ${url}/v1/openapi.json`,
    `  default network   ${defaultNetwork}${defaultNetwork === 'sandbox' ? ' (for trying: nothing leaves this server)' : ''}`,
  ]
  if (firstStart) {
    lines.push(
      `  organization      ${firstStart.organization}`,
      `  admin key         ${firstStart.adminKey}`,
      `                    shown this once, and written to ${firstStart.file}`,
    )
  }
  process.stdout.write(`${lines.join('\n')}\n`)
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
  })
}
