import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { makeFolder } from './make-folder.ts'

const folder = mkdtempSync(join(tmpdir(), 'posthorn-make-folder-'))
after(() => rmSync(folder, { recursive: true, force: true }))

test('a folder is made with those above it, for its owner only, and may be there already', () => {
  const path = join(folder, 'a', 'b', 'c')
  makeFolder(path)
  makeFolder(path)
  assert.equal(statSync(path).mode & 0o777, 0o700)
})

test('what cannot be a folder is told as the system says it', () => {
  writeFileSync(join(folder, 'file'), '')
  symlinkSync(join(folder, 'nowhere'), join(folder, 'link'))
  assert.throws(() => makeFolder(join(folder, 'file')), { code: 'EEXIST', syscall: 'mkdir' })
  assert.throws(() => makeFolder(join(folder, 'link')), { code: 'EEXIST', syscall: 'mkdir' })
  assert.throws(() => makeFolder(join(folder, 'file', 'in')), { code: 'ENOTDIR', syscall: 'mkdir' })
})

test('a folder that takes no entries is refused at once', { skip: process.platform !== 'linux' }, () => {
  assert.throws(() => makeFolder('/proc/posthorn'), { code: 'ENOENT', syscall: 'mkdir' })
  assert.throws(() => makeFolder('/proc/posthorn/data'), { code: 'ENOENT', syscall: 'mkdir' })
})
