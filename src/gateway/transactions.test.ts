import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'

test('the thread of the store loads no library but the one that writes its SQL', () => {
  // A library that a thread has loaded stays in memory as long as the server runs.
  const load = `
    import { registerHooks } from 'node:module'
    const packages = new Set()
    registerHooks({
      load(url, context, next) {
        const name = /\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1]
        if (name) packages.add(name)
        return next(url, context)
      },
    })
    await import('${new URL('../store/sqlite/sqlite-thread.ts', import.meta.url)}')
    await import('${new URL('./transactions.ts', import.meta.url)}')
    process.stdout.write([...packages].sort().join(' '))`
  const loaded = execFileSync(process.execPath, ['--input-type=module', '--eval', load], { encoding: 'utf8' })
  assert.equal(loaded, 'kysely')
})
