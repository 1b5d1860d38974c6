import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { freshFolder, type PosthornProcess, spawnPosthorn } from '../../kit/posthorn.ts'
import { runCommand } from '../../kit/processes/run-command.ts'

describe('a conversation from a terminal', { timeout: 300_000 }, () => {
  const home = freshFolder()
  let posthorn: PosthornProcess
  before(async () => {
    posthorn = await spawnPosthorn(join(home, 'data'))
    await done(['instances', 'create', 'shop', '--network', 'sandbox'])
  })
  after(async () => {
    await posthorn.end('SIGKILL')
    rmSync(home, { recursive: true, force: true })
  })

  const run = (words: readonly string[]) =>
    runCommand(words, { environment: { POSTHORN_DATA: join(home, 'data') }, cwd: home })
  /** The result of a command that must succeed. */
  async function done(words: readonly string[]): Promise<string> {
    const { code, out, err } = await run(words)
    assert.equal(code, 0, `posthorn ${words.join(' ')}: ${out}${err}`)
    return out
  }
  const send = async (...flags: string[]) =>
    JSON.parse(await done(['send', 'shop', 'eva@accepts.sandbox', '--json', ...flags]))

  test('a template is sent in its language, with values in their order or by their names', async () => {
    const update = ['--template', 'order_update', '--language', 'en_US', '--values']
    const { template, status } = await send(...update, '2=4711, 1=Eva, and all')
    assert.equal(status, 'sent')
    const parameters = [
      { type: 'text', text: 'Eva, and all' },
      { type: 'text', text: '4711' },
    ]
    assert.deepEqual(template.components, [{ type: 'body', parameters }])
    const plain = await send('--template', 'welcome', '--language', 'en_US')
    assert.deepEqual([plain.status, plain.template.components], ['sent', []])
    const unknown = await run([
      ...['send', 'shop', 'eva@accepts.sandbox', '--template', 'order_update', '--language', 'en_US'],
      ...['--values', 'customer=Eva', '--json'],
    ])
    // The template has two placeholders, so the network refuses it, and shows what it was given.
    assert.equal(unknown.code, 1)
    assert.deepEqual(JSON.parse(unknown.out).template.components, [
      { type: 'body', parameters: [{ type: 'text', parameter_name: 'customer', text: 'Eva' }] },
    ])
  })

  test('a list, and a button that opens a page', async () => {
    const rows = ['--list', 'Monday, Tuesday', '--list-button', 'Choose a day']
    const { interactive } = await send('--text', 'Which day?', ...rows)
    assert.deepEqual(
      [interactive.body, interactive.list.button, interactive.list.sections],
      [
        'Which day?',
        'Choose a day',
        [
          {
            rows: [
              { id: '1', title: 'Monday' },
              { id: '2', title: 'Tuesday' },
            ],
          },
        ],
      ],
    )
    const page = await send('--text', 'It left.', '--url-button', 'Track it=https://example.org/?order=4711')
    assert.deepEqual(page.interactive.url_button, {
      title: 'Track it',
      url: 'https://example.org/?order=4711',
    })
  })

  test('a group sees in a topic that the account writes, and a topic that is too long is refused', async () => {
    const typing = ['conversations', 'typing', 'shop', 'team@group.sandbox', '--topic']
    assert.equal(await done([...typing, '42']), 'typing to team@group.sandbox\n')
    const { code, err } = await run([...typing, '4'.repeat(65)])
    assert.equal(code, 1)
    assert.match(err, /`\/topic`/)
  })

  test('a picture is saved to a file', async () => {
    const picture = ['contacts', 'picture', 'shop', 'ana@replies.sandbox', '--output']
    const file = join(home, 'ana.png')
    assert.equal(await done([...picture, file]), `saved to ${file}\n`)
    assert.deepEqual([...readFileSync(file).subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47])
    const nowhere = await run([...picture, join(home, 'none', 'ana.png')])
    assert.equal(nowhere.code, 1)
    assert.match(nowhere.err, /cannot be written/)
    const { code, err } = await run(['contacts', 'picture', 'shop', 'ana@replies.sandbox'])
    assert.equal(code, 2)
    assert.match(err, /--output is missing/)
  })

  test('a flag that has no place in what is sent is told, and nothing is sent', async () => {
    const template = ['--template', 'welcome', '--language', 'en_US', '--text', 'a']
    const { code, out, err } = await run(['send', 'shop', 'pia@accepts.sandbox', ...template])
    assert.deepEqual([code, out], [2, ''])
    assert.match(err, /--text and --template do not go together/)
    assert.ok(!(await done(['messages', 'list', '--instance', 'shop'])).includes('pia@'))
  })
})
