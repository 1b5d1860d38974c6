import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { needsFfmpeg } from '../test/kit/ffmpeg.ts'
import { type Prosody, prosody, startProsody } from '../test/kit/networks/xmpp/prosody.ts'
import { residentMemory } from '../test/kit/resident-memory.ts'
import type { Target } from './attacks/attack.ts'
import { type AttackName, attacks } from './attacks/index.ts'
import { type Bench, type Figure, megabytes, milliseconds, quantile, type Row } from './figure.ts'
import { createOrganization, type Posthorn } from './posthorn.ts'
import { runModule, startServer } from './process.ts'
import { type BenchStore, type StoredPosthorn, stores } from './stores.ts'

/** Orders for the neighbour's process. */
export interface NeighbourOrder {
  readonly url: string
  readonly key: string
  readonly instance: string
  readonly seconds: number
}

/** Durations of its calls, in milliseconds; the texts it sent, and the calls of any kind that failed. */
export interface NeighbourReport {
  /** Of `GET /v1/instances`. */
  readonly p99: number
  /** Of uploads of 100 KB. */
  readonly uploadP99: number
  readonly accepted: number
  readonly failures: number
}

const quietSeconds = 10
const attackSeconds = 20
const sampleEvery = 20
const neighbour = 'neighbour'
const attacker = 'attacker'

/**
 * Measures the effect on one organization while another one, its network's server or an unknown sender attacks: each attack
 * on a server of its own with the default limits, beside the same server while it was quiet.
 */
export const neighbours: Figure = {
  name: 'neighbours',
  async measure(bench) {
    const rows: Row[] = []
    const names = Object.keys(attacks) as AttackName[]
    const store = await stores[bench.store ?? 'sqlite'](bench)
    try {
      for (const name of names.filter((name) => bench.only === undefined || name === bench.only)) {
        const missing = missingFor(name)
        if (missing) {
          bench.note(`${name} skipped: ${missing}`)
          rows.push({ figure: `beside ${attacks[name].title}`, measured: 'skipped' })
        } else rows.push(...(await measureBeside(name, store, bench)))
      }
    } finally {
      await store.end()
    }
    return rows
  },
}

function missingFor(name: AttackName): string | false {
  const needs = 'needs' in attacks[name] ? attacks[name].needs : undefined
  if (needs === 'prosody' && !prosody.available) return prosody.reason
  return needs === 'ffmpeg' && needsFfmpeg.skip
}

async function measureBeside(name: AttackName, store: BenchStore, bench: Bench): Promise<Row[]> {
  const first = await startBeside(name, store)
  const prepared = await prepare(name, bench, first).catch(async (error: unknown) => {
    await first.end()
    throw error
  })
  // The preparation must not show in the memory while all is quiet.
  const isFilled = prepared.target.prepared !== undefined
  if (isFilled) await first.end()
  const posthorn = isFilled ? await startBeside(name, store) : first
  const target = { ...prepared.target, url: posthorn.url }
  // The preparation may be larger than a variable of the environment can be.
  const targetFile = join(bench.folder, `beside-${name}.json`)
  writeFileSync(targetFile, JSON.stringify(target))
  try {
    await posthorn.createInstances('running', [neighbour])
    await goAbout(posthorn, 3)
    const quiet = await goAbout(posthorn, quietSeconds)
    const attack = await startServer('./attack-process.ts', (port) => ({
      ATTACK: name,
      ATTACK_PORT: `${port}`,
      ATTACK_TARGET: targetFile,
    }))
    const beside = await goAbout(posthorn, attackSeconds).finally(() => attack.end())
    await untilSent(posthorn, [quiet, beside])
    return await rowsOf(name, bench, posthorn, quiet, beside)
  } finally {
    await posthorn.end()
    await prepared.end()
  }
}

interface Prepared {
  readonly target: Target
  end(): Promise<void>
}

/** With the limits that are there by default, which the benchmark lifts for all other figures. */
function startBeside(name: AttackName, store: BenchStore): Promise<StoredPosthorn> {
  return store.start(`beside-${name}`, {
    POSTHORN_RATE_LIMIT: '6000/60',
    POSTHORN_QUEUE_LIMIT: '10000',
    POSTHORN_UNSETTLED_LIMIT: '100000',
    POSTHORN_INSTANCE_LIMIT: '1000',
    POSTHORN_CONNECT_ALLOW_CIDRS: '127.0.0.0/8',
    POSTHORN_FETCH_ALLOW_CIDRS: '127.0.0.0/8',
  })
}

async function prepare(name: AttackName, bench: Bench, posthorn: StoredPosthorn): Promise<Prepared> {
  const target = { url: posthorn.url, key: await createOrganization(posthorn, attacker) }
  const { execute } = posthorn
  const attack = attacks[name]
  if ('prepare' in attack) {
    bench.note(`${name}: preparing`)
    const prepared = await attack.prepare({ ...target, organization: attacker, execute })
    return { target: { ...target, prepared: prepared ?? null }, async end() {} }
  }
  const needs = 'needs' in attack ? attack.needs : undefined
  if (needs === 'prosody') {
    const server = await startProsody({ starttls: 'off', archive: true })
    return { target: { ...target, xmpp: await accountsOf(server) }, end: () => server.remove() }
  }
  const silence = needs === 'ffmpeg' ? { silence: makeSilence(bench.folder) } : {}
  return { target: { ...target, ...silence }, async end() {} }
}

async function accountsOf(server: Prosody): Promise<NonNullable<Target['xmpp']>> {
  const accounts = { account: 'shop', unknownSender: 'stranger', password: 'a password' }
  for (const name of [accounts.account, accounts.unknownSender])
    await server.createUser(name, accounts.password)
  return { port: server.port, domain: server.domain, ...accounts }
}

/** A day of it takes two megabytes. */
function makeSilence(folder: string): string {
  const file = join(folder, 'silence.flac')
  const silence = ['-f', 'lavfi', '-i', 'anullsrc=r=8000:cl=mono', '-t', '86400']
  const { status, stderr } = spawnSync('ffmpeg', ['-v', 'error', '-y', ...silence, file])
  if (status !== 0) throw new Error(`ffmpeg made no silence: ${stderr}`)
  return file
}

export interface Observed extends NeighbourReport {
  readonly since: number
  /** The highest, in bytes. */
  readonly memory: number
}

/** The neighbour at work, for some seconds; and the server's memory meanwhile. */
export async function goAbout({ url, key, pid }: Posthorn, seconds: number): Promise<Observed> {
  const since = Date.now()
  const order: NeighbourOrder = { url, key, instance: neighbour, seconds }
  let memory = 0
  const sample = setInterval(() => {
    memory = Math.max(memory, memoryOf(pid))
  }, sampleEvery)
  const said = await runModule('./neighbour-process.ts', [JSON.stringify(order)]).finally(() =>
    clearInterval(sample),
  )
  return { ...(JSON.parse(said) as NeighbourReport), since, memory }
}

/** Infinite for a process that has ended. */
function memoryOf(pid: number): number {
  try {
    return residentMemory(pid)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** Waits until everything that the neighbour sent has left. */
async function untilSent(posthorn: StoredPosthorn, parts: readonly Observed[]): Promise<void> {
  const [first] = parts
  const wanted = parts.reduce((sum, { accepted }) => sum + accepted, 0)
  for (let tries = 0; tries < 300; tries++) {
    const sent = await posthorn.sendingTimes(first?.since ?? 0, neighbour)
    if (sent.length >= wanted && sent.every(Number.isFinite)) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

async function rowsOf(
  name: AttackName,
  bench: Bench,
  posthorn: StoredPosthorn,
  quiet: Observed,
  beside: Observed,
): Promise<Row[]> {
  const p99 = (times: readonly number[]) => quantile(times, 0.99)
  const all = await posthorn.sendingTimes(beside.since, neighbour)
  const before = await posthorn.sendingTimes(quiet.since, neighbour, beside.since)
  const grown = beside.memory - quiet.memory
  bench.note(`${name}: ${beside.failures} of the neighbour's calls failed`)
  return [
    {
      figure: `beside ${attacks[name].title}: GET /v1/instances, p99`,
      measured: milliseconds(beside.p99),
      baseline: milliseconds(quiet.p99),
      ratio: (beside.p99 / quiet.p99).toFixed(1),
      goal: '≤ 100 ms',
      reached: beside.p99 <= 100 && beside.failures === 0,
    },
    {
      figure: '… accepted → sent, sandbox, p99',
      measured: milliseconds(p99(all)),
      baseline: milliseconds(p99(before)),
      ratio: (p99(all) / p99(before)).toFixed(1),
      goal: '≤ 500 ms',
      reached: all.length === beside.accepted && p99(all) <= 500,
    },
    {
      figure: '… uploads of 100 KB response time, p99',
      measured: milliseconds(beside.uploadP99),
      baseline: milliseconds(quiet.uploadP99),
      ratio: (beside.uploadP99 / quiet.uploadP99).toFixed(1),
    },
    {
      figure: '… memory grows by',
      measured: megabytes(Math.max(0, grown)),
      baseline: `${megabytes(quiet.memory)} while quiet`,
      goal: '≤ 64 MB',
      reached: grown <= 64e6,
    },
  ]
}
