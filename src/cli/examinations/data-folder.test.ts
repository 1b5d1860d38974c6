import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../networks/config.ts'
import { examineDataFolder } from './data-folder.ts'

test('a data folder in a file system of the kernel is a fault', {
  skip: process.platform !== 'linux',
}, () => {
  for (const folder of ['/proc/posthorn/data', '/sys/posthorn']) {
    const [finding, ...others] = examineDataFolder(readConfig({ POSTHORN_DATA: folder }))
    assert.equal(finding?.verdict, 'fail')
    assert.match(String(finding?.detail), /does not exist, and this user cannot create it in \/(proc|sys)$/)
    assert.deepEqual(others, [])
  }
})
