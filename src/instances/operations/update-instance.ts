import { isDeepStrictEqual } from 'node:util'
import { type Call, handler } from '../../contract/handler.ts'
import { updateInstance as operation } from '../../contract/operations/instance-operations.ts'
import { type InvalidValue, invalid, Problem } from '../../contract/problem.ts'
import { Metadata } from '../../contract/scalars.ts'
import { validator } from '../../contract/validate.ts'
import type { Settings } from '../../networks/driver/account.ts'
import type { Driver } from '../../networks/driver/driver.ts'
import { checkSettings } from '../../networks/driver/settings.ts'
import { sharedWordFaults, wordsAfter } from '../../organizations/marketing-words.ts'
import { readMarketingDefaults } from '../../organizations/organization-store.ts'
import { changeInstance, type InstanceChange, type InstanceChangeResult } from '../connection/change-store.ts'
import type { InstanceRow } from '../instance.ts'
import { isUnderway } from '../lifecycle/lifecycle.ts'
import { type InstanceOperationsContext, readInstance, showInstance, storedCredentials } from './context.ts'

/** Times that a change is tried while others change the instance: each time, at least one of them was done. */
const maxTries = 20

/** The only setting that no connection uses. */
const pacing = 'pacing'

export const updateInstance = (context: InstanceOperationsContext) =>
  handler(operation, async (call) => {
    const { supervisor, instanceChanges } = context
    const { id, reconnects } = await change(context, call)
    instanceChanges.notify(id)
    if (reconnects) await supervisor.ask(id, 'reconnect', null, call.signal)
    // Even if it is the same, because an earlier request may have stored it and failed to have it followed.
    else if (call.body.settings && pacing in call.body.settings)
      await supervisor.ask(id, 'repace', null, call.signal)
    const read = () => readInstance(context, call.caller.organizationId, call.params.name)
    const wait = { ms: call.waitMs, signal: call.signal }
    const reading = await instanceChanges.until(id, wait, read, ({ row }) => !isUnderway(row.status))
    return { status: 200, body: showInstance(context, call.caller, reading) }
  })

type UpdateCall = Call<typeof operation>

/** Stores the change, beginning anew with what others have changed meanwhile. */
async function change(context: InstanceOperationsContext, call: UpdateCall) {
  const { store, clock } = context
  for (let tries = 0; tries < maxTries; tries++) {
    const { row } = await readInstance(context, call.caller.organizationId, call.params.name)
    const { id } = row
    const before = { settings: row.settings, metadata: row.metadata, marketing_words: row.marketing_words }
    const { after, reconnects } = await changed(context, call, row)
    const { organizationId: organization } = call.caller
    const args = { organization, id, before, after, reconnects, now: clock.now(), audit: call.audit() }
    const done: InstanceChangeResult = await store.transact(changeInstance, args, call.turn)
    if (done === 'changed') return { id, reconnects }
    if (done === 'not_found') throw new Problem('instance_not_found')
    if (done === 'deleting') throw new Problem('instance_deleting')
  }
  throw new Problem('instance_changed_meanwhile')
}

/** The settings and labels of an instance after the change, and whether it must connect anew. Throws the problem of what does not fit. */
async function changed(
  context: InstanceOperationsContext,
  { body, turn, caller }: UpdateCall,
  { id, network, settings, metadata, marketing_words }: InstanceRow,
): Promise<{ after: InstanceChange; reconnects: boolean }> {
  const before: Settings = JSON.parse(settings)
  const after = merged(before, body.settings)
  const labels = merged(JSON.parse(metadata), body.metadata)
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const touched = names.filter((name) => !isDeepStrictEqual(before[name], after[name]))
  const namesWords = body.stop_words !== undefined || body.start_words !== undefined
  const organization = { id: caller.organizationId }
  const inherited = namesWords ? await context.store.read(readMarketingDefaults, organization, turn) : null
  const faults = [...checkLabels(labels), ...sharedWordFaults(marketing_words, body, inherited)]
  if (touched.length > 0) {
    const driver = context.networks.get(network)
    if (!driver) {
      const detail = 'This server does not support the network of the instance.'
      throw invalid({ pointer: '/settings', code: 'network_unknown', detail })
    }
    const credentials = await storedCredentials(context, { id, turn })
    faults.push(...settingsFaults(driver, { after, touched, credentials }))
  }
  if (faults.length > 0) throw invalid(...faults)
  return {
    after: {
      settings: touched.length > 0 ? JSON.stringify(after) : settings,
      metadata: isDeepStrictEqual(labels, JSON.parse(metadata)) ? metadata : JSON.stringify(labels),
      marketing_words: wordsAfter(marketing_words, body),
    },
    reconnects: touched.some((name) => name !== pacing),
  }
}

/** Fields replaced as a whole, or removed by null. What is left out stays. */
function merged(before: Settings, change: Settings = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value !== null))
}

const checkLabels = validator(Metadata, '/metadata')

interface ChangedSettings {
  readonly after: Settings
  readonly touched: readonly string[]
  /** With what the driver keeps beside them; null if that cannot be read any more. */
  readonly credentials: Settings | null
}

function settingsFaults(driver: Driver, { after, touched, credentials }: ChangedSettings): InvalidValue[] {
  const fixed = touched
    .filter((name) => driver.fixedSettings.includes(name))
    .map((name) => ({
      pointer: `/settings/${name}`,
      code: 'not_changeable',
      detail:
        'This setting is fixed once the instance is created. Leave it out, or create another instance with it.',
    }))
  const given = Object.entries(credentials ?? {}).filter(([name]) => name in driver.credentials.properties)
  const found = checkSettings(driver, after, Object.fromEntries(given))
  const others = found.filter(({ pointer }) => fixed.every((fault) => fault.pointer !== pointer))
  const isOfCredentials = ({ pointer }: InvalidValue) => pointer.startsWith('/credentials')
  return [
    ...fixed,
    ...others.filter((fault) => !isOfCredentials(fault)),
    ...(credentials === null ? [] : others.filter(isOfCredentials)).map(({ code, detail }) => ({
      pointer: '/settings',
      code,
      detail: `The stored credentials do not fit these settings: replace them first. ${detail}`,
    })),
  ]
}
