import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { whyNoPrometheus } from '../../kit/processes/prometheus.ts'

/* The alerts that come with Posthorn: each comes when it should, not before, and says where to read on. */

const rulesFile = new URL('../../../deploy/prometheus/rules.yaml', import.meta.url).pathname
const alertsFile = new URL('./alerts.yaml', import.meta.url).pathname
const runbook = readFileSync(new URL('../../../docs/monitoring.md', import.meta.url), 'utf8')

interface Rule {
  readonly alert: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly runbook: string }
}

const { groups } = parse(readFileSync(rulesFile, 'utf8')) as { groups: { rules: Rule[] }[] }
const rules = groups.flatMap((group) => group.rules)
const skip = whyNoPrometheus() ?? false

function promtool(...words: string[]): void {
  const ran = spawnSync('promtool', words, { encoding: 'utf8' })
  assert.equal(ran.status, 0, ran.stdout + ran.stderr)
}

test('each alert has a section of its own in docs/monitoring.md, to which it leads', () => {
  const sections = [...runbook.matchAll(/^### (Posthorn\w+)$/gm)].map(([, name]) => name)
  assert.deepEqual(sections.toSorted(), rules.map(({ alert }) => alert).toSorted())
  for (const { alert, labels, annotations } of rules) {
    assert.equal(annotations.runbook, `docs/monitoring.md#${alert.toLowerCase()}`)
    assert.match(labels.severity, /^(?:critical|warning)$/)
  }
})

test('each alert is tried, both coming and not coming', () => {
  const { tests } = parse(readFileSync(alertsFile, 'utf8')) as {
    tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[]
  }
  const tried = tests.flatMap(({ alert_rule_test }) => alert_rule_test)
  for (const comes of [true, false])
    assert.deepEqual(
      new Set(
        tried.filter(({ exp_alerts }) => exp_alerts.length > 0 === comes).map(({ alertname }) => alertname),
      ),
      new Set(rules.map(({ alert }) => alert)),
    )
})

test('promtool accepts the rules', { skip }, () => promtool('check', 'rules', rulesFile))

test('each alert comes when it should, and not before', { skip }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-alerts-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'alerts.yaml')
  writeFileSync(file, readFileSync(alertsFile, 'utf8').replace('RULES', rulesFile))
  promtool('test', 'rules', file)
})
