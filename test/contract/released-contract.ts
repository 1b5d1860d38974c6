import { readdirSync, readFileSync } from 'node:fs'
import { openapi } from '../../src/contract/openapi/openapi.ts'
import { readConfig } from '../../src/networks/config.ts'
import { descriptionOf } from '../../src/networks/driver/description.ts'
import { makeDrivers } from '../../src/networks/drivers.ts'
import { version } from '../../src/version.ts'
import { type ContractDocument, type Json, recordOf } from './document.ts'

/** The folder of the contracts that were released, one for each minor version. */
export const releasedFolder = new URL('../../docs/contract/', import.meta.url)

/** Keywords that say nothing about what is sent. */
const prose = new Set(['description', 'summary', 'example', 'examples', 'tags', 'externalDocs', 'deprecated'])

/** Today's contract, without its prose. */
export async function contractToday(): Promise<ContractDocument> {
  const drivers = await makeDrivers(readConfig({}))
  const document = openapi({ version, networks: drivers.map(descriptionOf) })
  const { paths, webhooks, components } = recordOf(JSON.parse(JSON.stringify(document)))
  return withoutProse({
    paths: paths ?? {},
    webhooks: webhooks ?? {},
    components: components ?? {},
  }) as unknown as ContractDocument
}

function withoutProse(value: Json, isNames = false): Json {
  if (Array.isArray(value)) return value.map((one: Json) => withoutProse(one))
  if (value === null || typeof value !== 'object') return value
  const kept = Object.entries(value).filter(([name]) => isNames || !prose.has(name))
  return Object.fromEntries(
    kept.map(([name, one]) => [name, withoutProse(one as Json, !isNames && areNames(name))]),
  )
}

/** True if the keys below are names that the contract chose, and no keywords. */
function areNames(keyword: string): boolean {
  return [
    'properties',
    'schemas',
    'responses',
    'headers',
    'parameters',
    'paths',
    'webhooks',
    'content',
  ].includes(keyword)
}

/** The name of the file that a version's contract is kept in. */
export function nameOfReleased(of = version): string {
  return `openapi-${of.split('.').slice(0, 2).join('.')}.json`
}

/** The contracts that were released, by their files. Callers of each still have to be served. */
export function releasedContracts(): readonly (readonly [file: string, contract: ContractDocument])[] {
  return readdirSync(releasedFolder)
    .filter((file) => /^openapi-\d+\.\d+\.json$/.test(file))
    .map((file) => [file, JSON.parse(readFileSync(new URL(file, releasedFolder), 'utf8'))] as const)
}
