import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseEnv } from 'node:util'
import { parse, parseAllDocuments } from 'yaml'
import { getHealth, getReadiness } from '../../src/contract/operations/service-operations.ts'
import { readConfig, settingNames } from '../../src/networks/config.ts'
import { imageEnvironment, makeSecrets, readCompose } from '../kit/deploy/compose.ts'

const folder = new URL('../../deploy/', import.meta.url)
const textOf = (name: string) => readFileSync(new URL(name, folder), 'utf8')

/** Fails if one of these is no setting of Posthorn. */
function assertSettings(names: readonly string[]): void {
  assert.deepEqual(
    names.filter((name) => !settingNames.includes(name)),
    [],
  )
}

test('HAProxy knows the nodes that compose starts, and the example has what compose asks for', () => {
  const given = parseEnv(textOf('several-nodes/env.example')) as Record<string, string>
  const asked = [...textOf('several-nodes/compose.yaml').matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name)
  assert.deepEqual([...new Set(asked)].sort(), Object.keys(given).sort())
  const { services } = readCompose('several-nodes/compose.yaml', given)
  const servers = [...textOf('several-nodes/haproxy.cfg').matchAll(/^ {2}server (\w+) (\w+):8080$/gm)]
  assert.deepEqual(
    servers.map(([, name, host]) => [name, host]),
    ['one', 'two', 'three'].map((name) => [name, name]),
  )
  for (const [, name = ''] of servers) assert.ok(services[name]?.build, name)
})

test('the balancer and the probes ask what the contract has', () => {
  const paths = [getHealth, getReadiness].map(({ path }) => path)
  assert.deepEqual(paths, ['/healthz', '/readyz'])
  assert.match(textOf('several-nodes/haproxy.cfg'), /option httpchk GET \/readyz/)
  const [set] = manifests('stateful-set.yaml')
  const { startupProbe, livenessProbe, readinessProbe } = set.spec.template.spec.containers[0]
  for (const [probe, path] of [
    [startupProbe, '/healthz'],
    [livenessProbe, '/healthz'],
    [readinessProbe, '/readyz'],
  ])
    assert.deepEqual(probe.httpGet, { path, port: 'http' })
})

const manifests = (name: string) =>
  parseAllDocuments(textOf(`kubernetes/${name}`)).map((document) => document.toJS())

test('the manifests name what they have, and settings that Posthorn has', (t) => {
  const kustomization = parse(textOf('kubernetes/kustomization.yaml'))
  const all = kustomization.resources.flatMap(manifests)
  assert.deepEqual(
    all.map(({ kind, metadata }: { kind: string; metadata: { name: string } }) => `${kind} ${metadata.name}`),
    ['Service posthorn', 'Service posthorn-nodes', 'StatefulSet posthorn', 'PodDisruptionBudget posthorn'],
  )
  const [set] = manifests('stateful-set.yaml')
  const { spec } = set.spec.template
  const [container] = spec.containers
  assert.equal(set.spec.serviceName, 'posthorn-nodes')
  const literals: string[] = kustomization.configMapGenerator[0].literals
  const pairs = literals.map((text) => text.split('=', 2) as [string, string])
  const own: [string, string][] = container.env.map(({ name, value }: { name: string; value: string }) => [
    name,
    value,
  ])
  assertSettings([...pairs, ...own].map(([name]) => name.replace(/(?<!KEY)_FILE$/, '')))
  // The secrets are mounted as the files that these settings name, and the script makes a file for each.
  const home = mkdtempSync(join(tmpdir(), 'posthorn-manifests-'))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  const made = makeSecrets(home)
  const { secretName, items } = spec.volumes.find(({ name }: { name: string }) => name === 'secrets').secret
  const { mountPath } = container.volumeMounts.find(({ name }: { name: string }) => name === 'secrets')
  const files = items.map(({ key, path }: { key: string; path: string }) => {
    assert.ok(made.names.includes(key), key)
    return `${mountPath}/${path}`
  })
  const named = own.filter(([name]) => name.endsWith('_FILE')).map(([, path]) => path)
  assert.deepEqual([secretName, files.sort()], ['posthorn', named.sort()])
  const placed = own.map(([name, value]) => [name, value.replace(mountPath, made.folder)])
  const config = readConfig({ ...imageEnvironment(), ...Object.fromEntries([...pairs, ...placed]) })
  assert.deepEqual([config.POSTHORN_LISTEN.port, config.POSTHORN_DATA], [8080, '/data'])
  assert.ok(spec.terminationGracePeriodSeconds >= config.POSTHORN_STOP_SECONDS + 10)
})

test('kubectl accepts the kustomization', (t) => {
  const ran = spawnSync('kubectl', ['kustomize', new URL('kubernetes', folder).pathname], {
    encoding: 'utf8',
  })
  if (ran.error) return t.skip('kubectl is not installed')
  assert.equal(ran.status, 0, ran.stderr)
  const made = parseAllDocuments(ran.stdout).map((document) => document.toJS())
  const set = made.find(({ kind }) => kind === 'StatefulSet')
  const map = made.find(({ kind }) => kind === 'ConfigMap')
  assert.equal(set.spec.template.spec.containers[0].envFrom[0].configMapRef.name, map.metadata.name)
})

test('the templates for Coolify and EasyPanel have a volume, the port, and settings that Posthorn has', () => {
  const { posthorn } = parse(textOf('coolify/posthorn.yaml')).services
  const lines: string[] = posthorn.environment
  assert.ok(lines.includes('SERVICE_URL_POSTHORN_8080'))
  const coolify = { env: lines.filter((line) => line.startsWith('POSTHORN_')).join('\n') }
  assert.match(posthorn.volumes[0], /^[\w-]+:\/data$/)
  const [{ data: easypanel }] = JSON.parse(textOf('easypanel/posthorn.json')).services
  assert.deepEqual([easypanel.mounts[0].mountPath, easypanel.domains[0].port], ['/data', 8080])
  for (const { env } of [coolify, easypanel]) {
    // The panels put the name of the service in place of these.
    const values = parseEnv(
      env.replace(/https:\/\/\$\(\w+\)|\$\{SERVICE_URL_POSTHORN\}/, 'https://a.example'),
    )
    assertSettings(Object.keys(values))
    const config = readConfig({ ...imageEnvironment(), ...values })
    assert.deepEqual([config.POSTHORN_LISTEN.port, config.POSTHORN_BASE_URL], [8080, 'https://a.example'])
  }
})
