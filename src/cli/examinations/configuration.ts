import { examineConfig } from '../../networks/config.ts'
import { makeDrivers } from '../../networks/drivers.ts'
import type { Config } from '../../runtime/config/config.ts'
import { isInTheOpen, isLoopbackAddress } from '../../runtime/config/listening.ts'
import { type Finding, findingsOn } from './finding.ts'

const listening = findingsOn('listening')

const { fail, ok } = findingsOn('configuration')

/** Examines every setting. `config` is undefined if one is invalid. */
export async function examineConfiguration(environment: NodeJS.ProcessEnv): Promise<{
  findings: Finding[]
  config: Config | undefined
}> {
  const { config, faults } = examineConfig(environment)
  if (faults.length > 0) {
    const findings = faults.map((fault) => fail(fault, 'correct it; see docs/configuration.md'))
    return { findings, config: undefined }
  }
  const complete = config as Config
  const networks = (await makeDrivers(complete)).map(({ network }) => network)
  const chosen = complete.POSTHORN_DEFAULT_NETWORK
  if (!networks.includes(chosen)) {
    const advice = `set it to one of ${networks.join(', ')}`
    return {
      findings: [fail(`POSTHORN_DEFAULT_NETWORK is ${chosen}, but there is no such network`, advice)],
      config: undefined,
    }
  }
  return { findings: [ok('all settings are valid'), ...exposureOf(complete)], config: complete }
}

/** Without TLS, other machines can read API keys and messages on the way. */
function exposureOf(config: Config): Finding[] {
  const { host, port } = config.POSTHORN_LISTEN
  const address = `${host}:${port}`
  if (isLoopbackAddress(host)) return [listening.ok(`on ${address}, reachable from this machine only`)]
  if (!isInTheOpen(config)) return [listening.ok(`on ${address}, for callers of ${config.POSTHORN_BASE_URL}`)]
  return [
    listening.warn(
      `on ${address}, which other machines may reach, and POSTHORN_BASE_URL is not an https URL`,
      'put a TLS proxy in front and set POSTHORN_BASE_URL to its https URL, or listen on 127.0.0.1',
    ),
  ]
}
