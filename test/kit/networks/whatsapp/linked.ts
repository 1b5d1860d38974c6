import assert from 'node:assert/strict'
import type { Driver } from '../../../../src/networks/driver/driver.ts'
import type { Observation } from '../../../../src/networks/driver/observation.ts'
import type { WhatsAppProcess } from '../../../simulators/whatsapp/start-whatsapp.ts'
import { memoryKeys } from '../memory-keys.ts'
import { ObservedConnection } from '../observed-connection.ts'

export interface LinkedOptions {
  readonly phone: string
  readonly settings?: Readonly<Record<string, unknown>>
  readonly isStored?: (observation: Observation) => Promise<boolean>
}

/** Links a person's account, and resolves with its connection when that is open. */
export async function linkedConnection(
  { control }: Pick<WhatsAppProcess, 'control'>,
  driver: Driver,
  { phone, settings = {}, isStored }: LinkedOptions,
): Promise<{ readonly session: ObservedConnection; readonly again: () => Promise<ObservedConnection> }> {
  const keys = memoryKeys()
  const options = { settings, keys, ...(isStored && { isStored }) }
  const session = new ObservedConnection(driver, options)
  const { step } = await session.sees('link-step')
  await control.scan({ person: phone, qr: step.value })
  await session.sees('connection-opened')
  await session.sees('caught-up')
  const again = async () => {
    const credentials = session.saved.at(-1)
    assert.ok(credentials)
    return await ObservedConnection.open(driver, { ...options, credentials })
  }
  return { session, again }
}
