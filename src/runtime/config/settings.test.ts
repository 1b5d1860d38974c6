import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { settingGroups, settingNames } from '../../networks/config.ts'
import { networks } from '../../networks/networks.ts'
import { bounds } from './bounds.ts'
import { removedSettings } from './removed-settings.ts'

const text = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8')

/** The rows of the table under each heading of the document, without their outer bars. */
function tables(): Map<string, string[]> {
  const sections = text.split(/^#{2,3} /m).slice(1)
  return new Map(
    sections.map((section) => {
      const [title = '', ...lines] = section.split('\n')
      const rows = lines.filter((line) => line.startsWith('| ')).map((line) => line.slice(2, -2))
      return [title, rows.slice(1)]
    }),
  )
}

test('docs/configuration.md lists every setting in its group, with its default and description word for word', () => {
  const listed = tables()
  for (const { title, operatorSettings: settings } of settingGroups) {
    const wanted = Object.entries(settings).map(([name, { default: fallback, description }]) =>
      [`\`${name}\``, fallback === '' ? '–' : `\`${fallback}\``, description].join(' | '),
    )
    assert.deepEqual(listed.get(title), wanted, title)
  }
  const rows = text.match(/^\| `POSTHORN_/gm) ?? []
  assert.equal(rows.length, settingNames.length, 'each setting is listed once')
})

test('docs/configuration.md names the file of every secret', () => {
  const settings = settingGroups.flatMap((group) => Object.entries(group.operatorSettings))
  const files = settings.flatMap(([name, { isSecret }]) => (isSecret ? [`${name}_FILE`] : []))
  const [intro = ''] = text.split('## Settings')
  assert.deepEqual(
    intro.match(/POSTHORN_\w+_FILE(?=[`=])/g)?.sort(),
    [...files, 'POSTHORN_MASTER_KEY_FILE'].sort(),
  )
})

test('docs/configuration.md lists every bound that no setting changes', () => {
  const wanted = Object.values(bounds).map(({ shown, meaning }) => `${meaning} | ${shown}`)
  assert.deepEqual(tables().get('Bounds that no setting changes'), wanted)
})

test('an operator has at most 45 settings to choose from', () => {
  const forOperators = settingGroups.filter(({ title }) => title !== 'For tests only')
  const count = forOperators.flatMap(({ operatorSettings: settings }) => Object.keys(settings)).length
  assert.ok(count <= 45, `${count} settings`)
})

test('no setting is told to be gone', () => {
  const removed = networks.map(({ operatorSettings }) => operatorSettings.removed)
  const gone = Object.keys(Object.assign({}, removedSettings, ...removed))
  assert.deepEqual(
    settingNames.filter((name) => gone.includes(name)),
    [],
  )
})
