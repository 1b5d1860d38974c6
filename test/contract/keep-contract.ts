import { writeFileSync } from 'node:fs'
import { contractToday, nameOfReleased, releasedFolder } from './released-contract.ts'

/* `node test/contract/keep-contract.ts` keeps today's contract as the one of this minor version: part of each release. */

const file = new URL(nameOfReleased(), releasedFolder)
writeFileSync(file, `${JSON.stringify(await contractToday(), null, 2)}\n`)
