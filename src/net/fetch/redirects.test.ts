import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { closed } from '../../../test/kit/far-ends/far-end.ts'
import { Fetching, failureOf, farEnd, listed, reply, unlisted } from '../../../test/kit/far-ends/fetching.ts'

const codes = [301, 302, 303, 307, 308]

/** Places that no redirect may lead to. `{port}` is where a canary sits at the address that is not listed. */
const refusedPlaces = [
  `http://${unlisted}:{port}/`,
  `//${unlisted}:{port}/`,
  'http://127.2:{port}/',
  'http://2130706434:{port}/',
  'http://[::ffff:127.0.0.1]:{port}/',
  'http://inside.test:{port}/',
  'http://localhost:{port}/',
  'http://[::1]:{port}/',
  'https://169.254.169.254/latest/meta-data/',
  'https://[fd00:ec2::254]/',
  'http://9.9.9.9/',
  `http://user:password@${listed}:{port}/`,
  'file:///etc/passwd',
  'gopher://127.0.0.1:6379/_FLUSHALL',
  'ftp://127.0.0.1/a',
  'data:text/plain,hello',
  'blob:http://127.0.0.1/a',
  'javascript:alert(1)',
  'http://',
  `http://${listed}:{port}/${'a'.repeat(2_048)}`,
]

describe('a redirect to a place to keep out of is refused', () => {
  for (const hop of [1, 2, 3]) {
    test(`at hop ${hop}, with every status`, async (t) => {
      const canary = await farEnd(t, () => {}, { host: unlisted })
      const fetching = await Fetching.start(t, (name, type) => {
        if (type === 'AAAA') return []
        return [name === 'media.test' ? listed : unlisted]
      })
      const places = refusedPlaces.map((place) => place.replace('{port}', String(canary.port)))
      const far = await farEnd(t, ({ head, socket }) => {
        const [at = 0, code = 0, place = 0] =
          /^GET \/(\d)\/(\d+)\/(\d+) /.exec(head)?.slice(1).map(Number) ?? []
        const target = at === hop ? places[place] : `/${at + 1}/${code}/${place}`
        socket.end(reply(code, { Location: target ?? '' }))
      })
      for (const code of codes) {
        for (const [index, place] of places.entries()) {
          const failure = await failureOf(fetching.get(`http://media.test:${far.port}/1/${code}/${index}`))
          assert.deepEqual([failure.reason, failure.permanent], ['refused', true], `${code} ${place}`)
        }
      }
      assert.deepEqual([far.connections, canary.connections], [codes.length * refusedPlaces.length * hop, 0])
    })
  }
})

test('up to three redirects are followed, relative ones too, one connection after the other', async (t) => {
  const fetching = await Fetching.start(t)
  const far = await farEnd(t, async ({ head, socket }) => {
    await Promise.all(far.asked.slice(0, -1).map((before) => closed(before.socket)))
    const left = Number(/^GET \/\w+\/(\d)/.exec(head)?.[1])
    if (left === 0) return socket.end(reply(200, {}, 'there'))
    socket.write(reply(302, { Location: `../other/${left - 1}#part`, 'Set-Cookie': 'a=b' }, 'moved'))
  })
  const base = `http://media.test:${far.port}/some`
  assert.equal(await fetching.read(`${base}/3`), 'there')
  assert.deepEqual([far.asked.length, far.connections], [4, 4])
  for (const { head } of far.asked) assert.doesNotMatch(head, /cookie|referer|authorization/i)
  const failure = await failureOf(fetching.get(`${base}/4`))
  assert.deepEqual([failure.reason, failure.permanent], ['malformed', true])
  assert.equal(far.asked.length, 8)
  await far.left()
})

test('what goes round in circles ends', async (t) => {
  const fetching = await Fetching.start(t)
  const far = await farEnd(t, ({ socket }) => socket.end(reply(301, { Location: '' })))
  assert.equal((await failureOf(fetching.get(`http://media.test:${far.port}/`))).reason, 'malformed')
  assert.equal(far.asked.length, 4)
})

test('a fetch from an address that is known to be allowed follows no redirect', async (t) => {
  const fetching = await Fetching.start(t)
  const far = await farEnd(t, ({ socket }) => socket.end(reply(302, { Location: '/elsewhere' })))
  const failure = await failureOf(fetching.get(`http://media.test:${far.port}/`, { address: listed }))
  assert.equal(failure.reason, 'malformed')
  assert.equal(far.asked.length, 1)
})

test('the name of a file comes from where it was found', async (t) => {
  const fetching = await Fetching.start(t)
  const far = await farEnd(t, ({ head, socket }) => {
    socket.end(head.startsWith('GET /a ') ? reply(307, { Location: '/café.png' }) : reply(200))
  })
  const fetched = await fetching.get(`http://media.test:${far.port}/a`)
  fetched.body.destroy()
  assert.equal(fetched.suggestedFilename, 'café.png')
})

test('a redirect that says no place, and other statuses of that kind, are failures', async (t) => {
  const fetching = await Fetching.start(t)
  let status = 302
  const far = await farEnd(t, ({ socket }) =>
    socket.end(reply(status, status === 302 ? {} : { Location: '/' })),
  )
  const url = `http://media.test:${far.port}/`
  assert.equal((await failureOf(fetching.get(url))).reason, 'malformed')
  for (status of [300, 304, 305, 306]) {
    const failure = await failureOf(fetching.get(url))
    assert.deepEqual([failure.reason, failure.status, failure.permanent], ['status', status, true])
  }
  assert.equal(far.asked.length, 5)
})
