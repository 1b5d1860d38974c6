import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import jsqr from 'jsqr'
import { PNG } from 'pngjs'
import { createInstance, getInstanceStatus } from '../../../../src/contract/operations/instance-operations.ts'
import { getLink, startLink } from '../../../../src/contract/operations/link-operations.ts'
import type { InstanceConnectivity } from '../../../../src/contract/resources/instance.ts'
import type { Driver } from '../../../../src/networks/driver/driver.ts'
import { type WhatsAppOptions, whatsapp } from '../../../../src/networks/whatsapp/driver.ts'
import type { WhatsAppProcess } from '../../../simulators/whatsapp/start-whatsapp.ts'
import { eventually } from '../../play.ts'
import type { Posthorn } from '../../posthorn.ts'

/** The settings of a server whose WhatsApp is the simulator. */
export function environmentFor({ url, rootKey, caFile }: WhatsAppProcess): Record<string, string> {
  return {
    POSTHORN_WHATSAPP_SERVER: url,
    POSTHORN_WHATSAPP_CA_FILE: caFile,
    POSTHORN_WHATSAPP_ROOT_KEY: rootKey,
    POSTHORN_CONNECT_ALLOW_CIDRS: '127.0.0.0/8',
    POSTHORN_FETCH_ALLOW_CIDRS: '127.0.0.0/8',
  }
}

/** A driver whose WhatsApp is the simulator, with shorter timeouts than the one of a server. */
export function hastyDriver(
  { url, rootKey, caFile }: WhatsAppProcess,
  haste: Partial<
    Pick<WhatsAppOptions, 'beat' | 'memory' | 'workers' | 'codeLifetime' | 'ackTimeoutMs' | 'maxEditAgeMs'>
  >,
): Driver {
  return whatsapp({
    server: url,
    ca: readFileSync(caFile, 'utf8'),
    rootKey,
    version: null,
    browser: ['Ubuntu', 'Chrome', '22.04.4'],
    allowedCidrs: ['127.0.0.0/8'],
    workers: 1,
    ...haste,
  })
}

/** The settings of a server that has only this driver. */
export const onlyWhatsApp = {
  POSTHORN_DEFAULT_NETWORK: 'whatsapp',
  POSTHORN_CONNECT_ALLOW_CIDRS: '127.0.0.0/8',
  POSTHORN_FETCH_ALLOW_CIDRS: '127.0.0.0/8',
}

/** A server, and a WhatsApp with people. */
export interface Stage {
  readonly whatsapp: Pick<WhatsAppProcess, 'control'>
  readonly posthorn: Pick<Posthorn, 'admin'>
}

/** Pacing would make every play last. */
export const unpaced = { pacing: { messages: 100_000, seconds: 1 } }

export interface LinkWish {
  readonly name: string
  readonly phone: string
  /** In addition to those of plays. */
  readonly settings?: Readonly<Record<string, unknown>>
  readonly credentials?: Readonly<Record<string, string>>
}

/** Creates an instance, and has the person of this phone number scan the picture of its QR code. Resolves when it is connected. */
export async function linkByPicture(
  { whatsapp, posthorn }: Stage,
  { name, phone, settings, credentials }: LinkWish,
): Promise<InstanceConnectivity> {
  const body = {
    name,
    network: 'whatsapp',
    settings: { ...unpaced, ...settings },
    ...(credentials && { credentials }),
  }
  const created = await posthorn.admin.call(createInstance, { body, waitSeconds: 20 })
  // To start a worker takes long on a busy machine.
  if (created.body.status === 'connecting') await becomes(posthorn, name, 'awaiting_link')
  else assert.equal(created.body.status, 'awaiting_link', JSON.stringify(created.body.reason))
  await scanPicture({ whatsapp, posthorn }, { name, phone })
  return await becomes(posthorn, name, 'connected')
}

/** Has a person scan the picture of the QR code that an instance shows now. */
export async function scanPicture(
  { whatsapp, posthorn }: Stage,
  { name, phone }: { name: string; phone: string },
) {
  const { bytes } = await posthorn.admin.call(getLink, {
    params: { name },
    accept: 'image/png',
    waitSeconds: 20,
  })
  await whatsapp.control.scan({ person: phone, qr: textIn(bytes) })
}

/** Links an instance anew, in the way in which it is asked for. */
export async function relink(stage: Stage, { name, phone }: { name: string; phone: string }): Promise<void> {
  await stage.posthorn.admin.call(startLink, { params: { name }, waitSeconds: 20 })
  await scanPicture(stage, { name, phone })
  await becomes(stage.posthorn, name, 'connected')
}

export async function becomes(
  posthorn: Stage['posthorn'],
  name: string,
  status: InstanceConnectivity['status'],
  within = 30_000,
): Promise<InstanceConnectivity> {
  return await eventually(
    `the status ${status}`,
    async () => (await posthorn.admin.call(getInstanceStatus, { params: { name } })).body,
    (connectivity) => connectivity.status === status,
    within,
  )
}

/** The text in a picture of a QR code, as a phone reads it. */
export function textIn(png: Uint8Array | undefined): string {
  assert.ok(png, 'there is no picture')
  const { data, width, height } = PNG.sync.read(Buffer.from(png))
  const read = jsqr.default(new Uint8ClampedArray(data), width, height)
  assert.ok(read, 'no phone could read the picture')
  return read.data
}
