import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ConfigError } from '../runtime/config/config.ts'
import { lossOf, refuseLostFolder } from './data-volume.ts'

const home = realpathSync(mkdtempSync(join(tmpdir(), 'posthorn volume-')))
after(() => rmSync(home, { recursive: true, force: true }))
const data = join(home, 'data')
mkdirSync(data)
const inImage = { DATA_MUST_BE_A_VOLUME: '1' }

const line = (point: string, kind: string) =>
  `100 90 0:50 /some/root ${point.replaceAll(' ', String.raw`\040`)} rw,relatime master:1 - ${kind} source rw`
const root = line('/', 'overlay')
const mounts = (...lines: readonly string[]) => `${lines.join('\n')}\n`

test('a folder on a volume is taken, whether it exists or not', () => {
  for (const point of [data, home])
    assert.equal(lossOf(data, inImage, mounts(root, line(point, 'ext4'))), undefined)
  assert.equal(lossOf(join(data, 'below', 'it'), inImage, mounts(root, line(home, 'xfs'))), undefined)
})

test('a folder on the disk of the container is refused, with what to do', () => {
  const others = [line(`${home}/dat`, 'ext4'), line('/proc', 'proc'), line(`${data}/media`, 'ext4')]
  for (const kind of ['overlay', 'btrfs', 'ext4'])
    assert.deepEqual(lossOf(data, inImage, mounts(line('/', kind), ...others)), {
      why: `the data folder ${data} is on the disk of this container, and all messages and keys would be lost with it`,
      advice: `mount a volume there, for example with \`--volume posthorn:${data}\`, or set POSTHORN_DATA to a folder on one`,
    })
})

test('a folder in memory is refused, also if the memory covers a volume', () => {
  for (const kind of ['tmpfs', 'ramfs'])
    assert.match(
      String(lossOf(data, inImage, mounts(root, line(data, 'ext4'), line(data, kind)))?.why),
      /is in the memory of this container,/,
    )
  assert.equal(lossOf(data, inImage, mounts(root, line(data, 'tmpfs'), line(data, 'ext4'))), undefined)
})

test('a link counts as the folder that it leads to', () => {
  const volume = join(home, 'volume')
  mkdirSync(volume)
  symlinkSync(volume, join(home, 'link'))
  assert.equal(lossOf(join(home, 'link'), inImage, mounts(root, line(volume, 'ext4'))), undefined)
  assert.notEqual(
    lossOf(join(home, 'link'), inImage, mounts(root, line(join(home, 'link'), 'ext4'))),
    undefined,
  )
})

test('outside of the image, and if the system does not tell, every folder is taken', () => {
  assert.equal(lossOf(data, {}, mounts(root)), undefined)
  assert.equal(lossOf(data, { DATA_MUST_BE_A_VOLUME: '' }, mounts(root)), undefined)
  for (const odd of ['', '\n', 'nothing that is known', `1 2 3 4 ${data}`])
    assert.equal(lossOf(data, inImage, odd), undefined)
})

test('the mounts of this process are read', { skip: process.platform !== 'linux' }, (t) => {
  process.env.DATA_MUST_BE_A_VOLUME = '1'
  t.after(() => delete process.env.DATA_MUST_BE_A_VOLUME)
  assert.throws(() => refuseLostFolder('/'), ConfigError)
  assert.equal(lossOf('/proc/self'), undefined)
})
