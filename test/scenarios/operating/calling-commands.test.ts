import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { updateInstance } from '../../../src/contract/operations/instance-operations.ts'
import { createCheckedClient } from '../../kit/http/checked-client.ts'
import { eventually } from '../../kit/play.ts'
import { freshFolder, type PosthornProcess, spawnPosthorn } from '../../kit/posthorn.ts'
import { runCommand } from '../../kit/processes/run-command.ts'

/** The folder of a person who uses a server elsewhere: there is no data folder in it. */
const home = freshFolder()
const data = join(freshFolder(), 'data')
const environment = { XDG_CONFIG_HOME: join(home, 'config') }
let posthorn: PosthornProcess

before(async () => {
  posthorn = await spawnPosthorn(data)
})

after(async () => {
  await posthorn.end('SIGKILL')
  rmSync(home, { recursive: true, force: true })
})

const run = (words: readonly string[], input?: string) =>
  runCommand(words, { environment, cwd: home, ...(input !== undefined && { input }) })

/** The result of a command that must succeed. */
async function done(words: readonly string[], input?: string): Promise<string> {
  const { code, out, err } = await run(words, input)
  assert.equal(code, 0, `posthorn ${words.join(' ')}: ${out}${err}`)
  return out
}

describe('a person who uses a server elsewhere', () => {
  test('is told to log in, and which key the server did not take', async () => {
    const unknown = await run(['instances', 'list', '--profile', 'work'])
    assert.equal(unknown.code, 1)
    assert.match(unknown.err, /there is no profile yet; `npx posthorn login URL` makes one/)
    const refused = await run(['login', posthorn.url], `phk_${'0'.repeat(59)}\n`)
    assert.equal(refused.code, 1)
    assert.match(refused.err, /unauthenticated/)
    assert.equal((await run(['login', 'posthorn.example'], posthorn.adminKey)).code, 1)
    const silent = await run(['login', 'http://127.0.0.1:1'], posthorn.adminKey)
    assert.equal(silent.code, 1)
    assert.match(silent.err, /^posthorn: the server at http:\/\/127\.0\.0\.1:1 does not respond .*\n$/)
  })

  test('logs in once, and the key is in a file that only they can read', async () => {
    const said = await done(['login', posthorn.url, '--name', 'work'], `${posthorn.adminKey}\n`)
    assert.match(said, /^logged in to http.* as work, with a key of the organization default\n$/)
    assert.ok(!said.includes(posthorn.adminKey))
    assert.equal(statSync(join(home, 'config/posthorn/servers.json')).mode & 0o777, 0o600)
  })

  test('creates an instance, sees it, and sends a text and a file through it', async () => {
    const created = await done(['instances', 'create', 'shop', '--network', 'sandbox'])
    assert.match(created, /^NAME +NETWORK +STATUS .*\nshop +sandbox +connected +none /)
    assert.match(await done(['instances', 'list', '--profile', 'work']), /\nshop +sandbox +connected /)
    const sent = await done(['send', 'shop', 'ana@accepts.sandbox', '--text', 'Hello'])
    const [, id = ''] = /^(msg_\w+) sent\n$/.exec(sent) ?? assert.fail(sent)
    assert.match(await done(['send', 'shop', 'ana@accepts.sandbox'], 'from a pipe\n'), / sent\n$/)
    const file = join(home, 'invoice.txt')
    writeFileSync(file, 'Invoice 4711')
    const media = [
      'send',
      'shop',
      'ana@accepts.sandbox',
      '--file',
      file,
      '--caption',
      'Your invoice',
      '--json',
    ]
    assert.equal(JSON.parse(await done(media)).media.filename, 'invoice.txt')
    const listed = await done(['messages', 'list', '--instance', 'shop', '--status', 'sent'])
    assert.match(listed, new RegExp(`\\n${id} .* shop +ana@accepts\\.sandbox +sent +Hello\\n`))
    assert.match(listed, /from a pipe/)
    assert.equal(JSON.parse(await done(['messages', 'show', id])).text, 'Hello')
  })

  test('replies, reacts, edits and deletes, and sends a place, a contact, a poll and buttons', async () => {
    const send = async (...more: string[]) =>
      JSON.parse(await done(['send', 'shop', 'eva@accepts.sandbox', '--json', ...more]))
    const first = await send('--text', 'Hello')
    const reply = await send('--text', 'And this', '--reply-to', first.id)
    assert.equal(reply.relation.message_id, first.id)
    const placed = await send('--text', 'Two loaves', '--topic', '42')
    assert.equal(placed.topic.id, '42')
    const place = await send('--location=-23.5614,-46.6559', '--name', 'MASP')
    assert.deepEqual(place.location, { latitude: -23.5614, longitude: -46.6559, name: 'MASP', address: null })
    const card = await send(
      '--name',
      'Dr. Lima',
      '--phone',
      '+55 11 98765-4321',
      '--email',
      'a@x.org, b@x.org',
    )
    assert.deepEqual(card.contacts[0].emails, ['a@x.org', 'b@x.org'])
    const poll = await send('--poll', 'Monday, Tuesday', '--text', 'Which day?', '--reply-to', first.id)
    assert.deepEqual([poll.poll.options, poll.relation.type], [['Monday', 'Tuesday'], 'reply'])
    const asked = await send('--buttons', 'Yes,No', '--text', 'Tomorrow?')
    assert.deepEqual(
      asked.interactive.buttons.map(({ id, title }: { id: string; title: string }) => `${id} ${title}`),
      ['1 Yes', '2 No'],
    )
    assert.match(await done(['messages', 'react', first.id, '--emoji', '👍']), / sent\n$/)
    assert.match(await done(['messages', 'react', first.id]), / sent\n$/)
    assert.match(await done(['messages', 'edit', first.id, '--text', 'Hello, Eva']), / sent\n$/)
    assert.match(await done(['messages', 'retract', first.id]), / sent\n$/)
    for (const wrong of [
      ['messages', 'edit', first.id],
      ['send', 'shop', 'eva@accepts.sandbox', '--location', 'here'],
      ['send', 'shop', 'eva@accepts.sandbox', '--poll', 'a,b'],
      ['send', 'shop', 'eva@accepts.sandbox', '--poll', 'a,b', '--buttons', 'c', '--text', 'Well?'],
      ['send', 'shop', 'eva@accepts.sandbox', '--phone', '1'],
    ])
      assert.equal((await run(wrong)).code, 2, wrong.join(' '))
  })

  test('is told which flags have no place in what they send, and nothing is sent', async () => {
    for (const [wrong, sentence] of [
      [['--text', 'a', '--file', 'b'], /--text and --file do not go together/],
      [['--text', 'a', '--location=1,2'], /--text and --location do not go together/],
      [['--text', 'a', '--phone', '+1', '--name', 'L'], /--text and --phone do not go together/],
      [['--text', 'a', '--caption', 'b'], /--caption and --text do not go together/],
      [['--text', 'a', '--kind', 'image'], /--kind and --text do not go together/],
      [['--text', 'a', '--name', 'b'], /--name and --text do not go together/],
      [['--poll', 'a,b', '--text', 'c', '--address', 'd'], /--address and --poll do not go together/],
      [['--email', 'a@x.org', '--name', 'b', '--address', 'c'], /--address and --email do not go together/],
      [['--caption', 'b'], /--caption goes only with --file/],
      [['--name', 'b'], /--name goes only with --location or --phone or --email/],
    ] as const) {
      const { code, out, err } = await run(['send', 'shop', 'pia@accepts.sandbox', ...wrong], 'from a pipe')
      assert.deepEqual([code, out], [2, ''], wrong.join(' '))
      assert.match(err, sentence)
    }
    assert.ok(!(await done(['messages', 'list', '--instance', 'shop'])).includes('pia@'))
  })

  test('cancels and marks messages as read, and lists, checks and forgets people', async () => {
    const later = new Date(Date.now() + 3_600_000).toISOString()
    const planned = await fetch(`${posthorn.url}/v1/messages/text`, {
      method: 'POST',
      headers: { authorization: `Bearer ${posthorn.adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ instance: 'shop', to: 'eva@accepts.sandbox', text: 'Later', send_at: later }),
    })
    const { id } = (await planned.json()) as { id: string }
    assert.equal(await done(['messages', 'cancel', id]), `${id} canceled\n`)
    const asked = JSON.parse(await done(['send', 'shop', 'zoe@quotes.sandbox', '--text', 'Hello', '--json']))
    const received = async () => {
      const found = JSON.parse(await done(['messages', 'list', '--instance', 'shop', '--json']))
      return found.find(
        ({ relation }: { relation?: { message_id: string } }) => relation?.message_id === asked.id,
      )
    }
    const answer = await eventually('the answer', received, (message) => message !== undefined)
    assert.equal(await done(['messages', 'read', answer.id]), `${answer.id} read\n`)
    const who = 'zoe@quotes.sandbox'
    assert.match(await done(['contacts', 'list', 'shop', '--search', 'zoe']), new RegExp(`\\n${who} +Zoe `))
    const checked = await done(['contacts', 'check', 'shop', `${who},dan@unknown.sandbox`])
    assert.equal(checked, `${who} yes\ndan@unknown.sandbox no\n`)
    const unsure = await run(['contacts', 'forget', 'shop', who])
    assert.equal(unsure.code, 2)
    assert.match(unsure.err, /--yes/)
    assert.match(await done(['contacts', 'list', 'shop']), new RegExp(who))
    assert.equal(await done(['contacts', 'forget', 'shop', who, '--yes']), `forgetting ${who}\n`)
    await eventually(
      'to be forgotten',
      () => done(['contacts', 'list', 'shop']),
      (people) => !people.includes(who),
    )
  })

  test('lists conversations, shows a person and that they write, and sends a batch and mentions', async () => {
    await done(['send', 'shop', 'yan@quotes.sandbox', '--text', 'Good morning'])
    const unread = ['conversations', 'list', '--instance', 'shop', '--unread', '--search', 'yan@']
    const listed = await eventually(
      'the answer',
      () => done(unread),
      (table) => table.includes('yan@quotes.sandbox'),
    )
    assert.match(listed, /^INSTANCE +WITH +NAME +UNREAD +LAST +CONTENT\nshop +yan@quotes\.sandbox +Yan +1 /)
    const [conversation] = JSON.parse(await done([...unread, '--json']))
    assert.equal(conversation.conversation, 'yan@quotes.sandbox')
    const contact = JSON.parse(await done(['contacts', 'show', 'shop', 'yan@quotes.sandbox']))
    assert.equal(contact.name, 'Yan')
    const typing = ['conversations', 'typing', 'shop', 'yan@quotes.sandbox']
    assert.equal(await done(typing), 'typing to yan@quotes.sandbox\n')
    assert.equal((await run([...typing, '--seconds', 'long'])).code, 2)
    const toTeam = ['send', 'shop', 'team@group.sandbox', '--mentions', 'ana@delivers.sandbox', '--json']
    const mentioning = JSON.parse(await done([...toTeam, '--text', '@ana, look']))
    assert.deepEqual(mentioning.mentions, ['ana@delivers.sandbox'])
    const file = join(home, 'list.txt')
    writeFileSync(file, 'A list')
    const uploaded = JSON.parse(await done([...toTeam, '--file', file, '--caption', '@ana, look']))
    assert.deepEqual(uploaded.mentions, ['ana@delivers.sandbox'])
    assert.equal((await run([...toTeam, '--location=1,2'])).code, 2)
    const message = { type: 'text', instance: 'shop', to: 'eva@accepts.sandbox', text: 'One of many' }
    const batch = join(home, 'batch.json')
    writeFileSync(batch, JSON.stringify([message, { ...message, to: 'nowhere' }]))
    const partly = await run(['messages', 'batch', batch])
    assert.equal(partly.code, 1)
    assert.match(partly.out, /^msg_\w+ queued\n$/)
    assert.match(partly.err, /^message 2 was refused: .*`\/to`/)
    const whole = JSON.stringify({ messages: [message] })
    assert.match(await done(['messages', 'batch', '-'], whole), /^msg_\w+ queued\n$/)
    for (const wrong of ['{}', 'null', 'no JSON'])
      assert.equal((await run(['messages', 'batch', '-'], wrong)).code, 2)
  })

  test('makes a group, sees and changes who is in it, invites, and leaves it', async () => {
    const [ana, bea] = ['ana@delivers.sandbox', 'bea@delivers.sandbox']
    const made = await done([
      'groups',
      'create',
      'shop',
      '--subject',
      'Market',
      '--members',
      ana,
      '--approval',
    ])
    const [, group = ''] = /^(\S+) Market\n$/.exec(made) ?? assert.fail(made)
    assert.match(await done(['groups', 'list', 'shop']), new RegExp(`${group} +Market`))
    assert.equal(await done(['groups', 'add', 'shop', group, '--members', bea]), `${bea} done\n`)
    assert.equal(await done(['groups', 'promote', 'shop', group, '--members', bea]), `${bea} done\n`)
    const shown = JSON.parse(await done(['groups', 'show', 'shop', group]))
    assert.equal(shown.approval, true)
    const roles = shown.members.map(({ address, role }: Record<string, string>) => [address, role])
    assert.deepEqual(new Map(roles).get(bea), 'admin')
    await done(['groups', 'rename', 'shop', group, '--subject', 'Market on Tuesday'])
    assert.match(await done(['groups', 'list', 'shop']), /Market on Tuesday/)
    await done(['groups', 'describe', 'shop', group, '--description', 'From eight to noon'])
    assert.match(await done(['groups', 'show', 'shop', group]), /"description": "From eight to noon"/)
    assert.match(await done(['groups', 'invite', 'shop', group]), /^https:/)
    const missing = await run(['groups', 'remove', 'shop', group, '--members', 'zoe@delivers.sandbox'])
    assert.equal(missing.code, 1)
    assert.equal((await run(['groups', 'create', 'shop'])).code, 2)
    assert.equal((await run(['groups', 'add', 'shop', group])).code, 2)
    assert.equal(await done(['groups', 'requests', 'shop', group]), '[]\n')
    const decided = await run(['groups', 'approve', 'shop', group, '--members', 'zoe@delivers.sandbox'])
    assert.equal(decided.code, 1)
    assert.match(decided.out, /not_asked_to_join/)
    await done(['groups', 'leave', 'shop', group])
    assert.ok(!(await done(['groups', 'list', 'shop'])).includes(group))
  })

  test('learns that a message failed, why, and that of a call that is wrong', async () => {
    const failed = await run(['send', 'shop', 'ana@unknown.sandbox', '--text', 'Hello'])
    assert.equal(failed.code, 1)
    assert.match(failed.out, / failed\n$/)
    assert.match(failed.err, /^recipient_unknown: /)
    const missing = await run(['send', 'nowhere', 'ana@accepts.sandbox', '--text', 'Hello'])
    assert.equal(missing.code, 1)
    assert.match(missing.err, /instance_not_found/)
    const shown = await run(['instances', 'show', 'nowhere'])
    assert.equal(shown.code, 1)
    assert.match(
      shown.err,
      /^posthorn: There is no such instance: .*\n$/,
      'a sentence, and no place in the code',
    )
    assert.equal((await run(['send', 'shop', 'ana', '--kind', 'film', '--file', 'x'])).code, 2)
    assert.equal((await run(['instances', 'create', 'other', '--settings', '[1]'])).code, 2)
  })

  test('links an account by a QR code in the terminal', async () => {
    const waiting = { link: 'qr', links_after_seconds: 3_600, link_step_seconds: 3_600 }
    const settings = ['--settings', JSON.stringify(waiting)]
    const created = await run(['instances', 'create', 'phone', '--network', 'sandbox', ...settings])
    assert.equal(created.code, 0, created.err)
    const isSeen = Promise.withResolvers<void>()
    const onOutput = (out: string) => out.includes('█') && isSeen.resolve()
    const linking = runCommand(['link', 'phone'], { environment, cwd: home, onOutput })
    await Promise.race([isSeen.promise, linking])
    // The phone scans it now, however long the command took to show it.
    const client = createCheckedClient({ baseUrl: posthorn.url, key: posthorn.adminKey })
    const body = { settings: { link: 'qr', links_after_seconds: 0.1 } }
    await client.call(updateInstance, { params: { name: 'phone' }, body })
    const linked = await linking
    assert.equal(linked.code, 0, linked.err)
    assert.match(linked.out, /█/)
    assert.match(linked.out, /\nphone is connected to \S+\n$/)
    assert.match(linked.err, /scan it with the app on your phone, until \d/)
  })

  test('stops, starts and removes it, and logs out', async () => {
    assert.match(await done(['instances', 'stop', 'shop']), /\nshop +sandbox +stopped /)
    assert.match(await done(['instances', 'start', 'shop']), /\nshop +sandbox +connected /)
    assert.equal(await done(['instances', 'delete', 'shop']), 'removing shop\n')
    assert.equal(await done(['logout', 'work']), 'forgot work\n')
    assert.equal((await run(['logout', 'work'])).code, 1)
  })
})

/** Programs of shells that print the command into which what was typed is completed by the script in a file. */
const completing: Readonly<Record<string, (typed: string, file: string) => string>> = {
  bash: (typed, file) => {
    const words = typed.split(' ')
    const call = `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _posthorn`
    return `source ${file}; ${call}; echo "TYPED ${words.slice(1, -1).join(' ')} \${COMPREPLY[*]}"`
  },
  // Its completion works only where keys are typed.
  zsh: (typed, file) => `
    zmodload zsh/zpty
    zpty shell TERM=dumb zsh -f -i
    zpty -w shell 'PS1=READY; autoload -Uz compinit && compinit -u -D; source ${file}; posthorn() { print TYPED $* }; print BE""GUN'
    zpty -r shell seen '*BEGUN*READY*'
    zpty -w -n shell '${typed}'$'\t\n'
    zpty -r shell seen '*TYPED*READY*'
    print -r -- "$seen"`,
  fish: (typed, file) =>
    `source ${file}; echo TYPED (string split ' ' '${typed}')[2..-2] (complete -C '${typed}' | string split -f 1 \\t)`,
}

for (const [shell, complete] of Object.entries(completing))
  test(`${shell} completes commands and their flags`, async (t) => {
    if (spawnSync(shell, ['--version']).error) return t.skip(`${shell} is not installed`)
    const file = join(freshFolder(), 'completion')
    writeFileSync(file, await done(['completion', shell]))
    for (const [typed, command] of [
      ['posthorn inst', 'instances'],
      ['posthorn instances cr', 'instances create'],
      ['posthorn send shop ana --ca', 'send shop ana --caption'],
    ] as const) {
      const printed = execFileSync(shell, ['-c', complete(typed, file)], {
        encoding: 'utf8',
        timeout: 60_000,
      })
      assert.equal(/TYPED *(.*?)\s*$/m.exec(printed)?.[1], command, printed)
    }
  })

test('there is no completion for other shells', async () => {
  assert.equal((await run(['completion', 'tcsh'])).code, 2)
})

describe('the operator of a server', () => {
  const token = () => join(data, 'operator.token')

  test('sees from a terminal how it is, and what to do', async () => {
    const words = ['status', '--server', posthorn.url, '--key-file', token()]
    const said = await done(words)
    assert.match(said, /^notice {4}No backup was made with `posthorn backup`\.\n {10}→ Let a timer make one/)
    assert.match(said, /\nstore {5}sqlite, [\d.]+ KB, the last write took \d+ ms; \d+ calls wait\n/)
    assert.match(said, /\nqueue {5}\d+ messages wait/)
    assert.equal(JSON.parse(await done([...words, '--json'])).status, 'ok')
  })

  test('sets the words by which people stop marketing at an organization', async () => {
    const asOperator = ['--server', posthorn.url, '--key-file', token()]
    const update = (...words: string[]) => ['organizations', 'update', 'default', ...words, ...asOperator]
    const said = await done(update('--stop-words', 'stop, sair', '--start-words', 'voltar'))
    assert.equal(said, 'Words that stop marketing: stop, sair\nWords that start it again: voltar\n')
    const { stop_words, start_words } = JSON.parse(await done(update('--start-words', '', '--json')))
    assert.deepEqual([stop_words, start_words], [['stop', 'sair'], null])
    const wrong = await run(update('--stop-words', '...'))
    assert.deepEqual([wrong.code, /\/stop_words\/0/.test(wrong.err)], [1, true], wrong.err)
    assert.doesNotMatch(wrong.err, /null/)
    const without = await run(update())
    assert.deepEqual([without.code, /--stop-words, --start-words, or both/.test(without.err)], [2, true])
  })

  test('is told which token is missing, or wrong', async () => {
    const without = await run(['status', '--server', posthorn.url])
    assert.equal(without.code, 1)
    assert.match(without.err, /there is no operator's token in the data folder; name the file .* --key-file/)
    const wrong = join(home, 'admin.key')
    writeFileSync(wrong, posthorn.adminKey)
    const refused = await run(['status', '--server', posthorn.url, '--key-file', wrong])
    assert.equal(refused.code, 1)
    assert.match(refused.err, /forbidden/)
  })
})
