import type { SocketConfig } from 'baileys'

/** The log of the library, and of its own libraries, has keys and messages in it: nothing of it is written. */
export const silence: SocketConfig['logger'] = {
  level: 'silent',
  child: () => silence,
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}

/** Silences what the libraries write to the console, which are the private keys of sessions, too. */
export function silenceConsole(): void {
  for (const method of ['log', 'info', 'warn', 'error', 'debug', 'trace', 'dir'] as const)
    console[method] = () => undefined
}
