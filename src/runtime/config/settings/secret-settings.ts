import { secretSetting, setting } from '../setting.ts'
import { optional, parseMasterKey, parseToken, text } from '../setting-values.ts'

/** The secrets of the server. */
export const secretSettings = {
  POSTHORN_MASTER_KEY: setting(
    '',
    'The master key that encrypts credentials: 32 bytes as 64 hexadecimal digits. If not set, the key file is used.',
    optional(parseMasterKey),
  ),
  POSTHORN_MASTER_KEY_FILE: setting(
    '',
    'The file that the master key is read from. If not set, `master.key` in the data folder, which is created on first start.',
    optional(text),
  ),
  POSTHORN_OPERATOR_TOKEN: secretSetting(
    "The operator's token for `/v1/organizations`, `/v1/server` and `/v1/nodes`; it opens `/metrics` as well. If not set, the token in `operator.token` in the data folder, which is created on first start.",
    parseToken,
  ),
  POSTHORN_METRICS_TOKEN: secretSetting(
    'The token for `/metrics`, which opens nothing else. If not set, the token in `metrics.token` in the data folder, which is created on first start.',
    parseToken,
  ),
} as const
