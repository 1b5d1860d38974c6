import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../kit/far-ends/free-ports.ts'
import { freshFolder, ofThisRun } from '../kit/posthorn.ts'
import { endWithUs } from '../kit/processes/end-with-us.ts'
import { PostgresServer } from '../kit/processes/postgres-server.ts'

/** A real n8n, with an owner, whose public API a test calls. */
export interface RunningN8n {
  readonly url: string
  /** Calls the public API, and returns the body. Throws with the answer if it is no success. */
  call(method: string, path: string, body?: object): Promise<Record<string, unknown>>
  stop(): Promise<void>
}

/** Starts the n8n that is installed in a folder, with the package in another one installed as a community node. */
export async function startN8n(installed: string, nodes: string): Promise<RunningN8n> {
  const home = freshFolder()
  const place = join(home, '.n8n/nodes/node_modules/n8n-nodes-posthorn')
  mkdirSync(place, { recursive: true })
  for (const part of ['package.json', 'dist'])
    cpSync(join(nodes, part), join(place, part), { recursive: true })
  // The SQLite of n8n is built when it is installed, which needs more than a registry; PostgreSQL is here.
  const postgres = await PostgresServer.create({ max_connections: '100' })
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = spawn(join(installed, 'node_modules/.bin/n8n'), ['start'], {
    cwd: home,
    env: { ...ofThisRun(), HOME: home, ...settingsOf(home, url, new URL(await postgres.createDatabase())) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  endWithUs(child)
  const output = { text: '' }
  const stop = async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve))
    await postgres.stop()
    rmSync(home, { recursive: true, force: true })
  }
  try {
    await started(child, output)
    return { url, call: await callerOf(url), stop }
  } catch (error) {
    await stop()
    throw new Error(`n8n did not start:\n${output.text.slice(-4_000)}`, { cause: error })
  }
}

function settingsOf(home: string, url: string, database: URL): Record<string, string> {
  return {
    N8N_USER_FOLDER: home,
    N8N_PORT: new URL(url).port,
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    WEBHOOK_URL: `${url}/`,
    N8N_RUNNERS_BROKER_PORT: '0',
    N8N_SECURE_COOKIE: 'false',
    N8N_DIAGNOSTICS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
    N8N_TEMPLATES_ENABLED: 'false',
    N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
    DB_TYPE: 'postgresdb',
    DB_POSTGRESDB_HOST: database.hostname,
    DB_POSTGRESDB_PORT: database.port,
    DB_POSTGRESDB_DATABASE: database.pathname.slice(1),
    DB_POSTGRESDB_USER: database.username,
    DB_POSTGRESDB_PASSWORD: database.password,
  }
}

function started(child: ChildProcess, output: { text: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      output.text += chunk
      if (output.text.includes('Editor is now accessible')) resolve()
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    child.once('exit', () => reject(new Error('it ended')))
  })
}

/** Sets up the owner of a new n8n, and returns the calls of their API key. */
async function callerOf(url: string): Promise<RunningN8n['call']> {
  const owner = { email: 'ana@example.org', firstName: 'Ana', lastName: 'A', password: 'Correct-horse-7' }
  const setUp = await answered(`${url}/rest/owner/setup`, 'POST', {}, owner)
  const cookie = setUp.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
  const scopes = [
    'credential:create',
    'workflow:create',
    'workflow:activate',
    'workflow:deactivate',
    'execution:list',
    'execution:read',
  ]
  const created = await answered(
    `${url}/rest/api-keys`,
    'POST',
    { cookie },
    { label: 'test', scopes, expiresAt: null },
  )
  const { data } = (await created.json()) as { data: { rawApiKey: string } }
  return async (method, path, body) => {
    const response = await answered(`${url}/api/v1${path}`, method, { 'x-n8n-api-key': data.rawApiKey }, body)
    return (await response.json()) as Record<string, unknown>
  }
}

async function answered(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
): Promise<Response> {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (response.ok) return response
  throw new Error(`${method} ${url} was answered ${response.status}: ${await response.text()}`)
}
