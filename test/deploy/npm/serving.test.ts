import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type NewMachine, newMachine, pack, whyNoRegistry } from '../../kit/deploy/npm-package.ts'
import { createCheckedClient } from '../../kit/http/checked-client.ts'
import { environmentFor, linkByPicture } from '../../kit/networks/whatsapp/stage.ts'
import { create, eventually, reaches, text } from '../../kit/play.ts'
import { freshFolder, spawnPosthorn } from '../../kit/posthorn.ts'
import { endWithUs } from '../../kit/processes/end-with-us.ts'
import { startWhatsApp } from '../../simulators/whatsapp/start-whatsapp.ts'

/*
 * The npm package on a machine that never had it: its npm finds it in a registry on this machine, fetches what it depends on from the
 * registry of this machine, and runs no script of any package.
 */

const skip = await whyNoRegistry()

describe('the npm package, installed', { timeout: 290_000, skip }, () => {
  const home = freshFolder()
  const cache = join(home, 'cache')
  let machine: NewMachine
  const emptyFolder = (name: string) => {
    const folder = join(home, name)
    mkdirSync(folder)
    return folder
  }
  before(async () => {
    machine = await newMachine(await pack(join(home, 'packed')), cache)
  })
  after(async () => {
    await machine?.stop()
    rmSync(home, { recursive: true, force: true })
  })

  test('serves with `npx posthorn serve`, and stops when npx is told to', async (t) => {
    const folder = emptyFolder('served')
    const began = performance.now()
    const served = serveByNpx(folder, machine)
    const url = await served.url
    const adminKey = readFileSync(join(folder, 'data/admin.key'), 'utf8').trim()
    const admin = createCheckedClient({ baseUrl: url, key: adminKey })
    await create(admin, 'trial')
    const { id } = await text(admin, { instance: 'trial', to: 'ana@reads.sandbox', text: 'Good morning' })
    await reaches(admin, id, 'read')
    const seconds = (performance.now() - began) / 1_000
    t.diagnostic(`from nothing to the first message: ${seconds.toFixed(1)} s`)
    await showsItsPages(url)
    served.stop()
    await served.ended
    assert.match(served.output(), /"msg":"stopped"/)
  })

  test('links WhatsApp, and stops in good order at SIGTERM', async (t) => {
    const whatsapp = await startWhatsApp(t)
    const phone = '4915100000001'
    await whatsapp.control.createPerson({ phone })
    // It is still where npx installed it.
    const [installed = ''] = globSync(join(cache, '_npx/*/node_modules/posthorn'))
    const program = join(installed, 'dist/main.js')
    const posthorn = await spawnPosthorn(
      join(emptyFolder('linked'), 'data'),
      environmentFor(whatsapp),
      program,
    )
    await linkByPicture({ whatsapp, posthorn }, { name: 'shop', phone })
    assert.equal(await posthorn.end('SIGTERM'), 0)
  })
})

/** Runs `npx posthorn serve` in an empty folder. Rejects `url` if it ends before it serves. */
function serveByNpx(folder: string, { environment }: NewMachine) {
  const child = endWithUs(
    spawn('npx', ['posthorn', 'serve'], {
      cwd: folder,
      env: { ...environment, POSTHORN_LISTEN: '127.0.0.1:0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  let output = ''
  // The server has the same streams, so they close when it has ended, too.
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const url = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString()
        const [, found] = /serves on (\S+)/.exec(output) ?? []
        if (found) resolve(found)
      })
    void ended.then(() => reject(new Error(`npx posthorn serve ended:\n${output}`)))
  })
  return { url, ended, output: () => output, stop: () => child.kill('SIGTERM') }
}

/** Opens the console and the reference, and gets every file that they name. */
async function showsItsPages(url: string): Promise<void> {
  for (const [page, least] of [
    ['console', 20],
    ['docs', 4],
  ] as const) {
    const html = await eventually(
      `the page ${page}`,
      async () => {
        const response = await fetch(`${url}/${page}`)
        return response.status === 200 ? await response.text() : ''
      },
      (found) => found !== '',
    )
    const files = [...html.matchAll(/(?:href|src)="([^":]+)"/g)].map(([, path = '']) => path)
    assert.ok(files.length >= least, `${page} names ${files.length} files`)
    for (const file of files) assert.equal((await fetch(new URL(file, `${url}/`))).status, 200, file)
  }
}
