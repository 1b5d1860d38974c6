import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, describe, test } from 'node:test'
import { readConfig, settingNames } from '../../src/networks/config.ts'
import { type ComposeService, imageEnvironment, makeSecrets, readCompose } from '../kit/deploy/compose.ts'
import { create, reaches, text } from '../kit/play.ts'
import { startPostgres } from '../kit/postgres.ts'
import { freshFolder, spawnPosthorn } from '../kit/posthorn.ts'

/* The compose files. There is no Docker here: they are read, and a server is started with the environment that they give. */

const root = new URL('../..', import.meta.url).pathname
const textOf = (path: string) => readFileSync(join(root, 'deploy', path), 'utf8')
const home = freshFolder()
const { folder: secretsFolder, names: secretNames } = makeSecrets(home)
const postgres = await startPostgres()
after(async () => {
  if (postgres.available) await postgres.server.stop()
  rmSync(home, { recursive: true, force: true })
})

const embedded = 'compose/compose.yaml'
const withPostgres = 'compose/compose.postgres.yaml'
const severalNodes = 'several-nodes/compose.yaml'
const files = [embedded, withPostgres, severalNodes]
const values = { POSTHORN_BASE_URL: 'https://messages.example.org' }
const isPosthorn = ({ build }: ComposeService) => build !== undefined

for (const path of files) {
  const compose = readCompose(path, values)
  const services = Object.values(compose.services)
  const servers = services.filter(isPosthorn)

  describe(path, () => {
    test('docker-compose accepts it', (t) => {
      // Debian's is from before files had names.
      const input = textOf(path).replace(/^name: .*\n/m, '')
      const place = join(root, 'deploy', path, '..')
      const words = ['--file', '-', '--project-directory', place, 'config', '--quiet']
      const env = { PATH: process.env.PATH ?? '', ...values }
      const ran = spawnSync('docker-compose', words, { input, env, encoding: 'utf8' })
      if (!ran.error) return assert.equal(ran.status, 0, ran.stderr)
      assert.ok(!process.env.POSTHORN_TEST_REQUIRE?.includes('compose'), 'docker-compose is not installed')
      t.skip('docker-compose is not installed')
    })

    test('each container has a root that is read-only, and no right that it does not need', () => {
      for (const service of services) {
        assert.deepEqual(
          [service.read_only, service.cap_drop, service.security_opt],
          [true, ['ALL'], ['no-new-privileges:true']],
        )
        assert.equal(service.cap_add === undefined, !service.image.startsWith('postgres:'))
        for (const place of service.tmpfs) assert.match(place, /:size=\d+m$/)
        for (const port of service.ports ?? []) assert.match(port, /^127\.0\.0\.1:/)
        assert.match(service.restart, /^(always|unless-stopped)$/)
      }
    })

    test('secrets are files, which the script makes, and each service sees its own', () => {
      for (const { environment = {}, secrets = [], volumes = [] } of services) {
        const mounted = volumes.flatMap((volume) => (/^\.[^:]+\.sql(?=:)/.exec(volume) ?? []) as string[])
        const sql = mounted.map((file) => textOf(join(path, '..', file))).join('\n')
        const used = `${Object.values(environment).join('\n')}\n${sql}`.matchAll(/\/run\/secrets\/([\w-]+)/g)
        assert.deepEqual([...new Set([...used].map(([, name]) => name))].sort(), [...secrets].sort())
        for (const name of Object.keys(environment))
          if (/PASSWORD|TOKEN|KEY|DATABASE_URL/.test(name)) assert.match(name, /_FILE$/)
      }
      const listed = Object.entries(compose.secrets ?? {})
      for (const [name, { file }] of listed) assert.equal(file, `./secrets/${name}`)
      const wanted = services.flatMap(({ secrets = [] }) => secrets)
      assert.deepEqual(listed.map(([name]) => name).sort(), [...new Set(wanted)].sort())
      if (listed.length > 0) assert.deepEqual(listed.map(([name]) => name).sort(), secretNames)
    })

    test('each server is made of this clone, keeps its data in a volume, and has time to stop', () => {
      assert.equal(servers.length, path === severalNodes ? 3 : 1)
      for (const { build, volumes = [], stop_grace_period = '', depends_on, environment = {} } of servers) {
        assert.equal(resolve(root, 'deploy', path, '..', build?.context ?? ''), resolve(root))
        assert.deepEqual(build?.dockerfile, 'Containerfile')
        const [, volume = ''] = /^(\w+):\/data$/.exec(volumes[0] ?? '') ?? []
        assert.ok(compose.volumes[volume], `${volume} is no volume`)
        const seconds = Number(environment.POSTHORN_STOP_SECONDS)
        assert.ok(Number.parseInt(stop_grace_period, 10) >= seconds + 10)
        const waits = path === embedded ? undefined : { postgres: { condition: 'service_healthy' } }
        assert.deepEqual(depends_on, waits)
      }
      assert.equal(new Set(servers.flatMap(({ volumes = [] }) => volumes)).size, servers.length)
    })

    test('a server starts with that environment, and sends', async (t) => {
      const [service] = servers
      const given = { ...imageEnvironment(), ...service?.environment }
      const unknown = Object.keys(given).filter(
        (name) => name.startsWith('POSTHORN_') && !settingNames.includes(name.replace(/(?<!KEY)_FILE$/, '')),
      )
      assert.deepEqual(unknown, [])
      if (path !== embedded && !postgres.available) return t.skip(postgres.reason)
      const { DATA_MUST_BE_A_VOLUME: _, HOME: __, ...environment } = given
      const placed = Object.entries(environment).map(([name, value]) => [
        name,
        String(value).replace('/run/secrets', secretsFolder),
      ])
      const data = join(home, path, 'data')
      if (path !== embedded) await leadToDatabase(t)
      const config = readConfig(Object.fromEntries(placed))
      assert.equal(config.POSTHORN_LISTEN.port, 8080)
      const here = { POSTHORN_LISTEN: '127.0.0.1:0', POSTHORN_DATA: data }
      const posthorn = await spawnPosthorn(data, { ...Object.fromEntries(placed), ...here })
      t.after(() => posthorn.end('SIGKILL'))
      assert.equal((await fetch(`${posthorn.url}/readyz`)).status, 200)
      await create(posthorn.admin, 'trial')
      const { id } = await text(posthorn.admin, { instance: 'trial', to: 'ana@reads.sandbox' })
      await reaches(posthorn.admin, id, 'read')
      assert.equal(await posthorn.end('SIGTERM'), 0)
    })
  })
}

/** Makes the database that the URL in the secrets names, as the image of PostgreSQL does, and lets the URL lead to this machine. */
async function leadToDatabase(t: { after(end: () => Promise<void>): void }): Promise<void> {
  if (!postgres.available) return
  const { server } = postgres
  const name = `posthorn_${Math.random().toString(36).slice(2)}`
  const secret = (file: string) => readFileSync(join(secretsFolder, file), 'utf8')
  const password = secret('postgres-password')
  const statements = textOf('compose/init-postgres.sql')
    .replaceAll(/^(--|\\set) .*\n/gm, '')
    .replaceAll('posthorn', name)
    .replace(":'password'", `'${password}'`)
    .split(/;\n/)
  for (const statement of statements.filter(Boolean)) await server.query(statement)
  t.after(async () => {
    await server.query(`DROP DATABASE ${name} WITH (FORCE)`)
    for (const role of [name, `${name}_callers`, `${name}_writers`]) await server.query(`DROP ROLE ${role}`)
  })
  const url = new URL(secret('database-url'))
  const expected = ['posthorn', password, 'postgres:5432', '/posthorn']
  const shipped = [url.username, url.password, url.host, url.pathname]
  if (url.username === 'posthorn') assert.deepEqual(shipped, expected)
  const here = new URL(server.url(name))
  here.username = name
  here.password = password
  const file = join(secretsFolder, 'database-url')
  chmodSync(file, 0o644)
  writeFileSync(file, here.href)
}

test('the script makes secrets once, in a folder that only its owner may enter', () => {
  const place = join(home, 'again')
  const { folder, names } = makeSecrets(place)
  const contents = () => names.map((name) => readFileSync(join(folder, name), 'utf8'))
  const first = contents()
  assert.equal(new Set(first).size, names.length)
  assert.equal(statSync(folder).mode & 0o777, 0o700)
  makeSecrets(place)
  assert.deepEqual(contents(), first)
})
