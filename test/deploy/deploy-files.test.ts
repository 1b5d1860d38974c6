import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseEnv } from 'node:util'
import { parse, parseAllDocuments } from 'yaml'
import { getHealth, getReadiness } from '../../src/contract/operations/service-operations.ts'
import { readConfig, settingNames } from '../../src/networks/config.ts'

const folder = new URL('../../deploy/', import.meta.url)
const textOf = (name: string) => readFileSync(new URL(name, folder), 'utf8')
const usual = readConfig({})

/** Fails if one of these is no setting of Posthorn. */
function assertSettings(names: readonly string[]): void {
  assert.deepEqual(
    names.filter((name) => !settingNames.includes(name)),
    [],
  )
}

interface Service {
  readonly environment: Readonly<Record<string, string>>
  readonly stop_grace_period: string
}

test('the compose file starts the nodes that HAProxy knows, with settings that Posthorn has', () => {
  const compose = parse(textOf('several-nodes/compose.yaml'), { merge: true })
  const given = parseEnv(textOf('several-nodes/env.example'))
  const asked = [...textOf('several-nodes/compose.yaml').matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name)
  assert.deepEqual([...new Set(asked)].sort(), Object.keys(given).sort())
  const servers = [...textOf('several-nodes/haproxy.cfg').matchAll(/^ {2}server (\w+) (\w+):8080$/gm)]
  assert.deepEqual(
    servers.map(([, name, host]) => [name, host]),
    ['one', 'two', 'three'].map((name) => [name, name]),
  )
  for (const [, name] of servers) {
    const node: Service = compose.services[name as string]
    assertSettings(Object.keys(node.environment))
    assert.ok(Number.parseInt(node.stop_grace_period, 10) >= usual.POSTHORN_STOP_SECONDS + 10)
    const values = Object.entries(node.environment).map(([name, text]) => [name, filledIn(text, given)])
    const { POSTHORN_LISTEN, POSTHORN_MEDIA_STORE } = readConfig(Object.fromEntries(values))
    assert.deepEqual([POSTHORN_LISTEN.port, POSTHORN_MEDIA_STORE], [8080, 'postgres'])
  }
})

/** Fills in what compose does: what the example leaves to its reader is 64 digits here. */
function filledIn(text: string, given: Readonly<Record<string, string | undefined>>): string {
  return text.replaceAll(
    /\$\{(\w+):\?[^}]*\}/g,
    (_, name: string) => given[name] || '0123456789abcdef'.repeat(4),
  )
}

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

test('the manifests name what they have, and settings that Posthorn has', () => {
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
  assert.ok(spec.terminationGracePeriodSeconds >= usual.POSTHORN_STOP_SECONDS + 10)
  const literals: string[] = kustomization.configMapGenerator[0].literals
  const pairs = literals.map((text) => text.split('=', 2) as [string, string])
  const own: [string, string][] = container.env.map(({ name, value }: { name: string; value: string }) => [
    name,
    value,
  ])
  const secret = /# (POSTHORN_.*)/.exec(textOf('kubernetes/stateful-set.yaml'))?.[1]?.split(', ') ?? []
  const secrets = secret.map((name): [string, string] => [
    name,
    name === 'POSTHORN_DATABASE_URL' ? 'postgres://database' : '0123456789abcdef'.repeat(4),
  ])
  assertSettings([...pairs, ...own, ...secrets].map(([name]) => name))
  assert.equal(readConfig(Object.fromEntries([...pairs, ...own, ...secrets])).POSTHORN_LISTEN.port, 8080)
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
