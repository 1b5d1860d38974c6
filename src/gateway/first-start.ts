import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { hasInstances } from '../instances/instance-store.ts'
import { createApiKey } from '../organizations/key-store.ts'
import { knownApiKey, newApiKey } from '../organizations/keys.ts'
import {
  createOrganization,
  hasOrganizations,
  keepServiceValue,
  readServiceValue,
} from '../organizations/organization-store.ts'
import { type Config, ConfigError } from '../runtime/config/config.ts'
import { readMasterKey } from '../runtime/config/master-key.ts'
import { readSecretFile, writeSecretFile } from '../runtime/config/secret-file.ts'
import { newId, randomBase32 } from '../runtime/ids.ts'
import { Seal, SealBroken } from '../runtime/secrets/seal.ts'
import { isToken } from '../runtime/secrets/token.ts'
import type { OperatorTokens } from '../server/access/access-control.ts'
import type { Store } from '../store/store.ts'

/** The organization and the key that the first start created, to be shown once. */
export interface FirstStart {
  readonly organization: string
  readonly adminKey: string
  /** File that the key was written to. */
  readonly file: string
}

/**
 * Creates the organization `default` and an admin key if there is no organization yet. The key is written to its file
 * before it is stored, so that a crash in between leaves a store that is still at its first start.
 */
export async function firstStart(store: Store, config: Config, now: number): Promise<FirstStart | undefined> {
  if (await store.read(hasOrganizations, null)) return undefined
  const file = join(config.POSTHORN_DATA, 'admin.key')
  const { key, digest, hint } = adminKeyIn(file)
  const organization = 'default'
  const organization_id = newId('org')
  const admin = { id: newId('key'), organization_id, digest, hint, role: 'admin' as const, created_at: now }
  // Requested in the same tick, the two share a commit: there is never an organization without a key.
  const created = await Promise.allSettled([
    store.transact(createOrganization, { id: organization_id, name: organization, created_at: now }),
    store.transact(createApiKey, { key: admin }),
  ])
  const failed = created.find((one) => one.status === 'rejected')
  if (failed) {
    // Another node may have started on the same database at the same moment, and its key is the one that counts.
    if (!(await store.read(hasOrganizations, null))) throw failed.reason
    rmSync(file)
    return undefined
  }
  return { organization, adminKey: key, file }
}

/** The key that an interrupted first start left, or a new one. A file with any other content is not overwritten. */
function adminKeyIn(file: string): ReturnType<typeof newApiKey> {
  const left = readSecretFile(file)
  if (left === undefined) {
    const made = newApiKey()
    writeSecretFile(file, made.key)
    return made
  }
  if (!isToken('phk', left))
    throw new ConfigError(
      `${file} exists but does not contain a key; remove it, so that the first admin key can be written`,
    )
  return knownApiKey(left)
}

/** The name under which the store keeps a value that only the right master key opens. */
export const checkName = 'master_key_check'
const checkPlace = { table: 'service', column: 'value', row: checkName }

/**
 * The seal of the master key, which is created on the first start. A key that does not open what the store holds is refused
 * before the server serves anything: going on would lose every credential in it.
 */
export async function openSeal(store: Store, config: Config): Promise<Seal> {
  const kept = await keptSeal(store, config)
  if (kept) return kept
  const masterKey = readMasterKey(config, !(await store.read(hasInstances, null)))
  const seal = new Seal(masterKey.bytes)
  const value = Buffer.from(seal.close('posthorn', checkPlace)).toString('base64')
  if (await store.transact(keepServiceValue, { name: checkName, value })) return seal
  // Another server started on the same database at the same moment, and its key was stored first.
  return openSeal(store, config)
}

/** The seal that the store was sealed with, or undefined if nothing was sealed yet. Writes nothing; refuses a wrong key. */
export async function keptSeal(store: Store, config: Config): Promise<Seal | undefined> {
  const check = await store.read(readServiceValue, { name: checkName })
  if (check === null) return undefined
  const masterKey = readMasterKey(config, false)
  const seal = new Seal(masterKey.bytes)
  if (opensCheckValue(seal, check)) return seal
  throw new ConfigError(
    `the master key from ${masterKey.source} is not the one that the store was sealed with; set POSTHORN_MASTER_KEY or POSTHORN_MASTER_KEY_FILE to the right one`,
  )
}

/** True if this seal made the store's check value. */
export function opensCheckValue(seal: Seal, check: string): boolean {
  try {
    seal.open(Buffer.from(check, 'base64'), checkPlace)
    return true
  } catch (error) {
    if (error instanceof SealBroken) return false
    throw error
  }
}

/** The tokens of the operator: each from its setting or else from its file, which is created if it does not exist. */
export function operatorTokens(config: Config): OperatorTokens {
  const inFile = (name: string, prefix: string) => tokenIn(join(config.POSTHORN_DATA, name), prefix)
  const operator = config.POSTHORN_OPERATOR_TOKEN ?? inFile('operator.token', 'pho_')
  const metrics = config.POSTHORN_METRICS_TOKEN ?? inFile('metrics.token', 'phm_')
  if (operator === metrics)
    throw new ConfigError("the operator's token and the token for metrics must be different; replace one")
  return { operator, metrics }
}

function tokenIn(file: string, prefix: string): string {
  const kept = readSecretFile(file)
  if (kept) return kept
  const token = `${prefix}${randomBase32(32)}`
  writeSecretFile(file, token)
  return token
}
