import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../networks/config.ts'
import type { Driver } from '../networks/driver/driver.ts'
import { networksOf } from '../networks/driver/registry.ts'
import { sandbox } from '../networks/sandbox/driver.ts'
import { greeting } from './greeting.ts'

const url = 'http://127.0.0.1:8080'
const firstStart = { organization: 'default', adminKey: 'phk_example', file: 'data/admin.key' }
const networks = networksOf([sandbox()])
const sharedCallbacks = [] as const
const configured = (environment: Record<string, string>) => readConfig(environment)

test('the first start shows the key, and where it was written; later ones show neither', () => {
  const first = greeting({ url, firstStart, networks, sharedCallbacks }, configured({}), true)
  assert.match(first, /^Posthorn serves on http:\/\/127\.0\.0\.1:8080\n/)
  assert.match(first, /admin key +phk_example\n.* written to data\/admin\.key\n$/)
  assert.doesNotMatch(
    greeting({ url, firstStart: undefined, networks, sharedCallbacks }, configured({}), true),
    /phk_|admin/,
  )
})

test('where it is no terminal that reads, the first start tells only where the key is', () => {
  const first = greeting({ url, firstStart, networks, sharedCallbacks }, configured({}), false)
  assert.match(first, /admin key +in data\/admin\.key\n$/)
  assert.doesNotMatch(first, /phk_/)
})

test('a link that signs in is shown at a terminal only', () => {
  const link = 'http://127.0.0.1:8080/console#code=abc'
  const said = (isTerminal: boolean) =>
    greeting({ url, firstStart: undefined, networks, sharedCallbacks, link }, configured({}), isTerminal)
  assert.match(said(true), /^ {2}console +http:\/\/127\.0\.0\.1:8080\/console#code=abc\n.*within 10 minutes/m)
  assert.match(said(false), /^ {2}console +http:\/\/127\.0\.0\.1:8080\/console$/m)
  assert.doesNotMatch(said(false), /code/)
})

test('who listens where others reach it is warned, unless TLS is in front', () => {
  const said = (environment: Record<string, string>) =>
    greeting({ url, firstStart: undefined, networks, sharedCallbacks }, configured(environment), true)
  assert.doesNotMatch(said({}), /warning/)
  const POSTHORN_LISTEN = '0.0.0.0:8080'
  assert.match(said({ POSTHORN_LISTEN }), /^ {2}warning .* 0\.0\.0\.0, .*\n.*TLS proxy/m)
  const POSTHORN_BASE_URL = 'https://messages.example.org'
  assert.doesNotMatch(said({ POSTHORN_LISTEN, POSTHORN_BASE_URL }), /warning/)
})

test('where a network calls for many instances is shown whenever the server starts', () => {
  const callback = { title: 'Pigeons', url: 'https://posthorn.example/v1/callbacks/pigeons/cb_1' }
  const said = (sharedCallbacks: (typeof callback)[]) =>
    greeting({ url, firstStart: undefined, networks, sharedCallbacks }, configured({}))
  assert.match(said([callback]), /^ {2}callbacks +https:\/\/\S+\/cb_1 \(Pigeons\)$/m)
  assert.doesNotMatch(said([]), /callbacks/)
})

test('who is told the default network is also told that nothing leaves this server, if that is so', () => {
  const { isSimulated: _, ...real } = sandbox()
  const said = (driver: Driver) =>
    greeting({ url, firstStart: undefined, networks: networksOf([driver]), sharedCallbacks }, configured({}))
  assert.match(said(sandbox()), /default network +sandbox \(.*messages never leave this server\)$/m)
  assert.match(said(real), /default network +sandbox$/m)
})
