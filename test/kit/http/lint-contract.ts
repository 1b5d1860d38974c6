import { createConfig, lintFromString } from '@redocly/openapi-core'

/**
 * Returns what Redocly's recommended rules find wrong in a contract, each as a line. A component that only the events of a stream
 * refer to counts as used: they stand in an extension (`x-events`), which the rules do not read.
 */
export async function lintContract(contract: unknown): Promise<string[]> {
  const source = JSON.stringify(contract)
  const config = await createConfig({ extends: ['recommended'] })
  const found = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  return found
    .filter(({ ruleId, location }) => {
      const pointer = location[0]?.pointer ?? ''
      return ruleId !== 'no-unused-components' || !source.includes(`{"$ref":"${pointer}"}`)
    })
    .map(({ severity, ruleId, message, location }) =>
      [severity, ruleId, message, location[0]?.pointer].join(' '),
    )
}
