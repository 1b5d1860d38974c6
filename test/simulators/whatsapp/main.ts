import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from './server.ts'
import type { ChainFlaw } from './wire/noise-certificate.ts'

/*
 * A WhatsApp in a process of its own. It prints where it serves and what to trust, and ends with its standard input. An argument
 * names what is wrong with its Noise certificate.
 */

const folder = mkdtempSync(join(tmpdir(), 'whatsapp-simulator-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const [, , flaw] = process.argv
const addresses = await startServer(flaw as ChainFlaw | undefined)
const caFile = join(folder, 'ca.pem')
writeFileSync(caFile, addresses.authority)
process.stdout.write(`${JSON.stringify({ ...addresses, caFile })}\n`)
process.stdin.resume().on('end', () => process.exit(0))
