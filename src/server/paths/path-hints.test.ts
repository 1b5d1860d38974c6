import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { problemsOf } from '../../contract/operation.ts'
import { operations } from '../../contract/operations.ts'
import { PathHints } from './path-hints.ts'

const hints = new PathHints(operations)

describe('a path that is none', () => {
  const meant: readonly (readonly [method: string, path: string, said: string | undefined])[] = [
    ['GET', '/v1/instances/', 'Did you mean `GET /v1/instances`?'],
    ['GET', '/instances', 'Did you mean `GET /v1/instances`?'],
    ['POST', '/messages/text', 'Did you mean `POST /v1/messages/text`?'],
    ['POST', '/v1/message/text', 'Did you mean `POST /v1/messages/text`?'],
    ['POST', '/v1/messages/txt', 'Did you mean `POST /v1/messages/text`?'],
    ['GET', '/v1/messages/x/atempts', 'Did you mean `GET /v1/messages/{id}/attempts`?'],
    ['GET', '/v1/instance/support/status', 'Did you mean `GET /v1/instances/{name}/status`?'],
    ['GET', '//v1//instances', 'Did you mean `GET /v1/instances`?'],
    ['GET', '/api/v1/instances', 'Did you mean `GET /v1/instances`?'],
    ['POST', '/api/messages/text', 'Did you mean `POST /v1/messages/text`?'],
    ['POST', '/api/v1/mesages/txet', 'Did you mean `POST /v1/messages/text`?'],
    ['GET', '/api', undefined],
    ['PUT', '/v1/Instances', 'Did you mean `/v1/instances`?'],
    ['GET', '/v2', undefined],
    ['GET', '/', undefined],
    ['GET', '/wp-login.php', undefined],
    ['GET', `/v1/${'x'.repeat(300)}`, undefined],
  ]
  for (const [method, path, said] of meant) {
    test(`${method} ${path.slice(0, 40)}: ${said ?? 'nothing is near'}`, () => {
      assert.equal(hints.near(method, path), said)
    })
  }

  test('that others begin with names those', () => {
    const said = hints.near('GET', '/v1') ?? ''
    assert.match(said, /^Below it are `\/v1\/instances`,.*`\/v1\/messages`/)
  })
})

test('a method that a path lacks is told where it is', () => {
  const said = hints.withMethod('POST', '/v1/messages') ?? ''
  assert.match(said, /^`POST` is for `\/v1\/messages\/text`, `\/v1\/messages\/media`/)
  assert.equal(hints.withMethod('PATCH', '/v1/instances'), '`PATCH` is for `/v1/instances/{name}`.')
  assert.equal(hints.withMethod('POST', '/v1/messages/txt'), 'Did you mean `POST /v1/messages/text`?')
  assert.equal(hints.withMethod('PUT', '/v1/events'), undefined)
})

test('an operation that a path without parameters hides behind says that the method may not be the right one', () => {
  const literal = operations.filter(({ path }) => !path.includes('{'))
  for (const operation of operations.filter(({ path }) => path.includes('{'))) {
    const pattern = new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
    const hides = literal.some(({ path }) => pattern.test(path))
    assert.ok(!hides || problemsOf(operation).includes('method_not_allowed'), operation.id)
  }
})
