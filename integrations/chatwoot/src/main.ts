#!/usr/bin/env node
import { runBridge, SetupError } from './bridge.ts'
import { logTo } from './log.ts'
import { readSettings, SettingsError } from './settings.ts'

const stop = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort())

try {
  await runBridge(readSettings(process.env), logTo(process.stdout), stop.signal)
} catch (error) {
  if (!stop.signal.aborted) {
    const isForPerson = error instanceof SettingsError || error instanceof SetupError
    process.stderr.write(`${isForPerson ? error.message : ((error as Error).stack ?? error)}\n`)
    process.exitCode = 1
  }
}
