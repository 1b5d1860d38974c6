import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { freshFolder, startPosthorn } from '../../kit/posthorn.ts'
import { root } from '../../kit/source-tree.ts'
import { missingPython, pythonEnvironment } from './python.ts'

/* docs/clients.md: its programs in Python run one after the other, as one program, and then its commands. */

const run = promisify(execFile)
const text = readFileSync(join(root, 'docs/clients.md'), 'utf8')

const blocks = (language: string) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, block = '']) => block)

describe('docs/clients.md', { skip: missingPython() }, () => {
  test('has programs and commands that work', { timeout: 280_000 }, async (context) => {
    const posthorn = await startPosthorn()
    const folder = freshFolder()
    context.after(async () => {
      rmSync(folder, { recursive: true, force: true })
      await posthorn.stop()
    })
    const env = {
      ...pythonEnvironment,
      POSTHORN_URL: posthorn.url,
      POSTHORN_KEY: posthorn.adminKey,
      PYTHONPATH: join(root, 'clients/python'),
    }
    const program = join(folder, 'program.py')
    writeFileSync(program, blocks('python').join('\n'))
    const { stdout } = await run('python3', ['-W', 'error', program], { env, cwd: folder, timeout: 120_000 })
    assert.match(stdout, /instance_not_found/)
    assert.match(stdout, /message\.read\n\['wh_\w+'\] whsec_/)
    const commands = blocks('sh')
    assert.equal(commands.length, 2)
    const answers = await Promise.all(
      commands.map((command) => run('sh', ['-eu', '-c', command], { env, cwd: folder, timeout: 60_000 })),
    )
    assert.match(answers[0]?.stdout ?? '', /"status":"queued"/)
    assert.equal(JSON.parse(readFileSync(join(folder, 'openapi.json'), 'utf8')).openapi, '3.1.1')
  })
})
