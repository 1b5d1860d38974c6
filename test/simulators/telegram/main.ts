import type { AddressInfo } from 'node:net'
import { telegramServer } from './server.ts'

/* A Telegram in a process of its own. It prints where it serves, and ends with its standard input. */

const server = telegramServer()
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`)
})
process.stdin.resume().on('end', () => process.exit(0))
