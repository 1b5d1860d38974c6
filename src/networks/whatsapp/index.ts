import { ConfigError } from '../../runtime/config/config.ts'
import { readSecretFile } from '../../runtime/config/secret-file.ts'
import { defineNetwork } from '../driver/network.ts'
import { settings, testSettings } from './operator-settings.ts'

export const network = defineNetwork({
  settings,
  testSettings,
  async makeDriver(values, { config }) {
    const { whatsapp } = await import('./driver.ts')
    return whatsapp({
      server: values.POSTHORN_WHATSAPP_SERVER,
      ca: authoritiesIn(values.POSTHORN_WHATSAPP_CA_FILE),
      rootKey: values.POSTHORN_WHATSAPP_ROOT_KEY ?? null,
      version: values.POSTHORN_WHATSAPP_VERSION ?? null,
      browser: values.POSTHORN_WHATSAPP_BROWSER,
      allowedCidrs: config.POSTHORN_CONNECT_ALLOW_CIDRS,
      ...(config.POSTHORN_NAME_SERVERS && { nameServers: config.POSTHORN_NAME_SERVERS }),
      workers: values.POSTHORN_WHATSAPP_WORKERS,
      memory: values.POSTHORN_WHATSAPP_WORKER_MEMORY_MB * 2 ** 20,
    })
  },
})

/** Returns the certificate authorities in a file of the operator, in PEM; null without one. */
function authoritiesIn(file: string | undefined): string | null {
  if (file === undefined) return null
  const authorities = readSecretFile(file)
  if (authorities === undefined) throw new ConfigError(`the file ${file} does not exist`)
  return authorities
}
