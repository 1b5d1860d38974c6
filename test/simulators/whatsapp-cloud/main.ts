import { startServer } from './server.ts'

/*
 * The far end as a process of its own: `main.ts APP-SECRET`. It prints one line of JSON with its base URL, and ends when its
 * standard input does, so that it does not outlive a test that was killed.
 */

const { url, stop } = await startServer(process.argv[2] ?? 'app-secret')
const end = () => {
  stop()
  process.exit()
}
process.stdin.resume().on('end', end).on('error', end)
process.once('SIGTERM', end)
process.stdout.write(`${JSON.stringify({ url })}\n`)
