import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NetFailure } from '../../../net/failure.ts'
import type { HttpClient } from '../../../net/http/client.ts'
import type { HttpDownload, HttpFailure } from '../../../net/http/request.ts'
import { GraphApi } from './graph-api.ts'

const failed: HttpFailure = {
  kind: 'failed',
  phase: 'before-sending',
  reason: 'unreachable',
  error: new NetFailure('unreachable', false, 'no server is there'),
}

test('the token is shown only over encryption, or where the API itself is', async () => {
  const asked: HttpDownload[] = []
  const http: HttpClient = {
    request: async () => failed,
    open: async (download) => {
      asked.push(download)
      return failed
    },
  }
  const api = new GraphApi({
    http,
    baseUrl: 'http://10.0.0.1:8080/graph',
    version: 'v26.0',
    token: 'EAAtoken',
  })
  const options = { maxBytes: 1, limits: {}, signal: new AbortController().signal }
  for (const url of ['http://elsewhere.test/a', 'http://10.0.0.1/a', 'file:///etc/passwd', 'nothing'])
    assert.equal(await api.open(url, options), null, url)
  for (const url of ['https://lookaside.test/a', 'http://10.0.0.1:8080/a'])
    assert.equal(await api.open(url, options), failed, url)
  assert.deepEqual(
    asked.map(({ headers }) => headers),
    [{ Authorization: 'Bearer EAAtoken' }, { Authorization: 'Bearer EAAtoken' }],
  )
})

test('a trace that repeats the token is not kept', async () => {
  const token = 'EAAtokenOfSomebody'
  let trace = ''
  const error = () => ({ error: { code: 100, fbtrace_id: trace } })
  const http: HttpClient = {
    request: async () => ({
      kind: 'responded',
      status: 400,
      headers: {},
      body: Buffer.from(JSON.stringify(error())),
    }),
    open: async () => failed,
  }
  const api = new GraphApi({ http, baseUrl: 'https://graph.test', version: 'v26.0', token })
  const traceOf = async (said: string) => {
    trace = said
    const { signal } = new AbortController()
    const answer = await api.call({ method: 'GET', path: '1', limits: {}, signal })
    return answer.kind === 'refused' ? answer.trace : assert.fail()
  }
  assert.equal(await traceOf('AbC-123_x'), 'AbC-123_x')
  assert.equal(await traceOf(`x-${token}-x`), null)
})
