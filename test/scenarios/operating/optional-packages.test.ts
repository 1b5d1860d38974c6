import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import {
  createInstance,
  deleteInstance,
  getInstanceStatus,
} from '../../../src/contract/operations/instance-operations.ts'
import { listNetworks } from '../../../src/contract/operations/network-operations.ts'
import { create, reaches, text } from '../../kit/play.ts'
import { freshFolder, spawnPosthorn } from '../../kit/posthorn.ts'

/* A server without the optional dependencies, as after `npm ci --omit=optional`. */

const root = new URL('../../..', import.meta.url).pathname
const home = freshFolder()
after(() => rmSync(home, { recursive: true, force: true }))

/** Copies the program to a folder in which every package can be found but these. */
function copyWithout(hidden: ReadonlySet<string>): string {
  cpSync(join(root, 'src'), join(home, 'src'), { recursive: true })
  cpSync(join(root, 'package.json'), join(home, 'package.json'))
  const packages = join(root, 'node_modules')
  const names = readdirSync(packages).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(packages, name)).map((inner) => join(name, inner)) : [name],
  )
  for (const name of names) {
    if (hidden.has(name) || name.startsWith('.')) continue
    const link = join(home, 'node_modules', name)
    mkdirSync(join(link, '..'), { recursive: true })
    symlinkSync(join(packages, name), link)
  }
  return join(home, 'src', 'main.js')
}

test('without its optional packages, a server says what is missing when it is needed', async () => {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    optionalDependencies: Record<string, string>
  }
  const optional = new Set(Object.keys(optionalDependencies))
  assert.ok(optional.has('baileys') && existsSync(join(root, 'node_modules', 'baileys')))
  const server = await spawnPosthorn(join(home, 'data'), {}, copyWithout(optional))
  const { admin } = server
  try {
    const { body: networks } = await admin.call(listNetworks, {})
    assert.ok(networks.data.some(({ network }) => network === 'whatsapp'))

    const body = { name: 'shop', network: 'whatsapp' }
    const { body: shop } = await admin.call(createInstance, { body, waitSeconds: 20 })
    assert.deepEqual([shop.status, shop.reason?.code], ['failed', 'library_missing'])
    assert.match(shop.reason?.detail ?? '', /optional dependencies/)
    // It is not tried again and again.
    const { body: later } = await admin.call(getInstanceStatus, { params: { name: 'shop' } })
    assert.equal(later.status, 'failed')
    await admin.call(deleteInstance, { params: { name: 'shop' } })

    await create(admin, 'trial')
    const { id } = await text(admin, { instance: 'trial', to: 'ana@reads.sandbox', text: 'Still here' })
    await reaches(admin, id, 'read')
  } finally {
    await server.end('SIGTERM')
  }
})
