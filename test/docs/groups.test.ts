import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { create } from '../kit/play.ts'
import { freshFolder, type Posthorn, startPosthorn } from '../kit/posthorn.ts'
import { commandsOn, Walker } from '../kit/walk.ts'

/* A person who reads docs/groups.md types what stands there. */

const folder = freshFolder()
let posthorn: Posthorn
let walker: Walker

before(async () => {
  posthorn = await startPosthorn({ data: join(folder, 'data') })
  walker = new Walker(posthorn, folder, {})
  await create(posthorn.admin, 'trial')
})

after(async () => {
  await posthorn.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('a group is made, changed, written to and left', async () => {
  const blocks = commandsOn('docs/groups.md', '## Make and change one').flatMap((block) =>
    block.split('\n\n'),
  )
  const [make = '', ...others] = blocks
  const group = (await walker.type(`${make}\necho $GROUP`)).trim()
  assert.match(group, /^g[0-9a-f]+@group\.sandbox$/)
  const answers: string[] = []
  for (const command of others) answers.push((await walker.type(`GROUP=${group}\n${command}`)).trim())
  const [shown = '', renamed, described, members = '', link = '', sent = '', list = '', left] = answers
  assert.equal(JSON.parse(shown).members.length, 3)
  assert.deepEqual([renamed, described, left], ['', '', ''])
  assert.deepEqual(
    JSON.parse(members).data.map(({ result }: { result: string }) => result),
    ['done', 'refused'],
  )
  assert.ok(JSON.parse(link).url.includes(group))
  assert.equal(JSON.parse(sent).to, group)
  const subjects = JSON.parse(list).data.map(({ subject }: { subject: string }) => subject)
  assert.ok(subjects.includes('Team in Lisbon'))
  const body = await walker.type(
    `curl -sS http://127.0.0.1:8080/v1/instances/trial/groups/${group} -H "Authorization: Bearer $KEY"`,
  )
  assert.equal(JSON.parse(body).code, 'group_not_found')
})
