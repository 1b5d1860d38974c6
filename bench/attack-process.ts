import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Target } from './attacks/attack.ts'
import { type AttackName, attacks } from './attacks/index.ts'

/*
 * Attacks Posthorn until it is ended, in a process of its own, and answers `/readyz` with 200 once the attack is under way. Whom, says the
 * file that `ATTACK_TARGET` names.
 */

let underWay = false
const server = createServer((_request, response) => response.writeHead(underWay ? 200 : 503).end())
server.listen(Number(process.env.ATTACK_PORT), '127.0.0.1')
process.on('SIGTERM', () => process.exit(0))
// The attacked server may hang up at any moment.
process.on('uncaughtException', (error: NodeJS.ErrnoException) => {
  if (!['ECONNRESET', 'EPIPE', 'ECONNREFUSED'].includes(error.code ?? '')) throw error
})

const { attack } = attacks[process.env.ATTACK as AttackName]
await attack(JSON.parse(readFileSync(process.env.ATTACK_TARGET ?? '', 'utf8')) as Target)
underWay = true
