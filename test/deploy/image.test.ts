import assert from 'node:assert/strict'
import { chownSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { readConfig } from '../../src/networks/config.ts'
import { makeSecrets } from '../kit/deploy/compose.ts'
import { type ImageConfiguration, ImageWorkshop, whyNoImage } from '../kit/deploy/image.ts'
import { createCheckedClient } from '../kit/http/checked-client.ts'
import { create, eventually, reaches, text } from '../kit/play.ts'
import { freshFolder } from '../kit/posthorn.ts'

/*
 * The image, made of this clone by buildah on a Debian of its own. That takes minutes, so it is played only by `npm run test:long`, or
 * with `POSTHORN_TEST_IMAGE=1`.
 */

const skip = process.env.POSTHORN_TEST_IMAGE === '1' ? (whyNoImage() ?? false) : 'it takes minutes'

describe('the image', { timeout: 3_600_000, skip }, () => {
  const home = freshFolder()
  const volume = join(home, 'volume')
  const secrets = join(home, 'secrets')
  const mounted = [
    ...['--volume', `${volume}:/data`, '--volume', `${secrets}:/run/secrets:ro`],
    ...['--env', 'POSTHORN_MASTER_KEY_FILE=/run/secrets/master-key'],
  ]
  const elsewhere = ['--env', 'POSTHORN_LISTEN=127.0.0.1:0']
  let workshop: ImageWorkshop
  let configuration: ImageConfiguration
  let container: string
  let milliseconds: readonly number[]
  before(async () => {
    mkdirSync(volume, { mode: 0o700 })
    makeSecrets(home)
    for (const folder of [volume, secrets]) chownSync(folder, 10001, 10001)
    workshop = new ImageWorkshop()
    const began = performance.now()
    await workshop.makeBase()
    const based = performance.now()
    configuration = await workshop.makeImage({ VERSION: '1.2.3', REVISION: 'abc' })
    milliseconds = [based - began, performance.now() - based]
    container = await workshop.container()
  })
  after(async () => {
    await workshop?.end()
    rmSync(home, { recursive: true, force: true })
  })

  test('says how it is run', (t) => {
    t.diagnostic(`milliseconds for the base, and for the image: ${milliseconds.map(Math.round)}`)
    const { Env, Labels, Healthcheck, ...others } = configuration
    assert.deepEqual(
      [others.User, others.Entrypoint, others.Volumes, others.ExposedPorts, others.StopSignal],
      ['10001:10001', ['node', '/app/dist/main.js'], { '/data': {} }, { '8080/tcp': {} }, 'SIGTERM'],
    )
    assert.equal(Healthcheck.Test[0], 'CMD')
    assert.equal(Labels['org.opencontainers.image.version'], '1.2.3')
    assert.equal(Labels['org.opencontainers.image.revision'], 'abc')
    const variables = Object.fromEntries(Env.map((line) => line.split('=', 2) as [string, string]))
    const config = readConfig(variables)
    assert.equal(config.POSTHORN_DATA, '/data')
    // Docker waits for ten.
    assert.ok(config.POSTHORN_STOP_SECONDS < 10)
  })

  test('serves, sends, is healthy, and ends in time when it is told to', async (t) => {
    const began = performance.now()
    const seconds = () => (performance.now() - began) / 1_000
    const server = workshop.start(container, [...mounted, ...elsewhere], configuration.Entrypoint)
    t.after(() => server.signal('SIGKILL', '/app/dist/main.js'))
    const serves = async () => /serves on (\S+)/.exec(server.output())?.[1]
    const url = (await eventually('the server to serve', serves, (found) => found !== undefined)) ?? ''
    assert.equal((await fetch(`${url}/readyz`)).status, 200)
    t.diagnostic(`ready after ${seconds().toFixed(1)} s`)
    assert.ok(seconds() <= 10)

    const adminKey = readFileSync(join(volume, 'admin.key'), 'utf8').trim()
    assert.ok(!server.output().includes(adminKey))
    assert.match(server.output(), /admin key +in \/data\/admin\.key/)
    assert.deepEqual(
      [statSync(join(volume, 'posthorn.db')).uid, statSync(volume).mode & 0o777],
      [10001, 0o700],
    )
    const admin = createCheckedClient({ baseUrl: url, key: adminKey })
    await create(admin, 'trial')
    const { id } = await text(admin, { instance: 'trial', to: 'ana@reads.sandbox', text: 'Good morning' })
    await reaches(admin, id, 'read')

    const healthy = async (listen: string) => {
      const options = ['--env', `POSTHORN_LISTEN=${listen}`]
      return (await workshop.run(container, options, configuration.Healthcheck.Test.slice(1))).code
    }
    assert.equal(await healthy(new URL(url).host), 0)
    assert.notEqual(await healthy('127.0.0.1:1'), 0)
    const there = ['--env', `POSTHORN_LISTEN=${new URL(url).host}`]
    for (const words of [['posthorn'], ['npx', 'posthorn']]) {
      const { code, output } = await workshop.run(container, [...mounted, ...there], [...words, 'doctor'])
      assert.equal(code, 0, output)
      assert.match(output, /ok +server /)
    }

    const told = performance.now()
    assert.ok(server.signal('SIGTERM', '/app/dist/main.js'))
    assert.equal(await server.ended, 0)
    const took = (performance.now() - told) / 1_000
    t.diagnostic(`ended after ${took.toFixed(1)} s`)
    assert.ok(took <= 10)
    assert.match(server.output(), /"msg":"stopped"/)
  })

  test('refuses a data folder that is no volume', async () => {
    for (const [folder, where] of [
      ['/srv/data', 'on the disk'],
      ['/dev/shm/data', 'in the memory'],
    ]) {
      const options = [...elsewhere, '--env', `POSTHORN_DATA=${folder}`]
      const { code, output } = await workshop.run(container, options, configuration.Entrypoint)
      assert.equal(code, 1)
      assert.match(
        output,
        new RegExp(`the data folder ${folder} is ${where} of this container, .*; mount a volume there`),
      )
    }
  })

  test('has all optional packages, and nothing that its user may write to but the volume and /tmp', async () => {
    const loading = "for (const name of ['pg', '@aws-sdk/client-s3', 'baileys', 'sharp']) await import(name)"
    const loaded = await workshop.run(container, [], ['node', '--input-type=module', '--eval', loading])
    assert.equal(loaded.code, 0, loaded.output)
    const finding =
      'find / -xdev ( -path /proc -o -path /sys -o -path /dev -o -path /data ) -prune -o ! -type l -writable -print'
    const { output } = await workshop.run(container, [], finding.split(' '))
    const places = output.split('\n').filter((line) => /^\/(?!.*: Permission denied$)/.test(line))
    assert.deepEqual(
      places.filter((path) => !/^\/(?:var\/)?tmp(?:\/|$)|^\/run\/lock$/.test(path)),
      [],
    )
  })
})
