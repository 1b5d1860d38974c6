import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, afterEach, before, describe, test } from 'node:test'
import { listInstances } from '../../../src/contract/operations/instance-operations.ts'
import { sendTextMessage } from '../../../src/contract/operations/message-operations.ts'
import { readMetrics } from '../../kit/http/metrics.ts'
import { RawConnection } from '../../kit/http/raw-connection.ts'
import { create } from '../../kit/play.ts'
import { freshFolder, type PosthornProcess, spawnPosthorn } from '../../kit/posthorn.ts'

/*
 * Hundreds of callers without a key who take connections and give none back, on a server that has room for sixty. Everybody
 * else is answered meanwhile, each time on a connection of its own.
 */

const host = 'host: localhost\r\n'
const length = 'content-type: application/json\r\ncontent-length: 100000\r\n'

/** Text that an attacker writes on a new connection, and then again and again. */
interface Attack {
  readonly opening: string
  readonly drip: string
}

const attacks: Readonly<Record<string, Attack>> = {
  'send a byte now and then after a 401': {
    opening: `POST /v1/messages/text HTTP/1.1\r\n${host}${length}\r\n`,
    drip: ' ',
  },
  'send a byte now and then of a body that nobody asked for': {
    opening: `GET /healthz HTTP/1.1\r\n${host}${length}\r\n`,
    drip: ' ',
  },
  'send headers byte after byte': { opening: 'GET /v1/instances HTTP/1.1\r\nx-slow: ', drip: 'x' },
  'stay after a good request': { opening: `GET /healthz HTTP/1.1\r\n${host}\r\n`, drip: '' },
  'say nothing at all': { opening: '', drip: '' },
}

/** Three hundred who come back whenever they are cut off, from as many addresses as there are. */
class Attackers {
  readonly #url: string
  readonly #attack: Attack
  readonly #standing = new Set<RawConnection>()
  readonly #dripping: NodeJS.Timeout
  #isOver = false
  /** Number of times that one of them was cut off. */
  cut = 0

  constructor(url: string, attack: Attack, addresses: number) {
    this.#url = url
    this.#attack = attack
    for (let index = 0; index < 300; index++) void this.#attackFrom(`127.0.1.${1 + (index % addresses)}`)
    this.#dripping = setInterval(() => {
      for (const connection of this.#standing) connection.write(attack.drip)
    }, 200)
  }

  async until(cuts: number): Promise<void> {
    while (this.cut < cuts) await new Promise((resolve) => setTimeout(resolve, 20))
  }

  end(): void {
    this.#isOver = true
    clearInterval(this.#dripping)
    for (const connection of this.#standing) connection.close()
  }

  async #attackFrom(address: string): Promise<void> {
    while (!this.#isOver) {
      const connection = await RawConnection.open(this.#url, address).catch(() => undefined)
      if (!connection) continue
      this.#standing.add(connection)
      connection.write(this.#attack.opening)
      await new Promise((resolve) => connection.socket.once('close', resolve))
      this.#standing.delete(connection)
      this.cut++
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

describe('while three hundred strangers', () => {
  let posthorn: PosthornProcess
  let attackers: Attackers | undefined
  const data = freshFolder()

  before(async () => {
    posthorn = await spawnPosthorn(data, {
      POSTHORN_MAX_CONNECTIONS: '60',
      POSTHORN_ADDRESS_CONNECTIONS: '20',
    })
    await create(posthorn.admin, 'trial')
  })
  afterEach(() => attackers?.end())
  after(async () => {
    await posthorn.end('SIGTERM')
    rmSync(data, { recursive: true })
  })

  /** Asks on a connection of its own, as `fetch` would keep one. */
  async function ask(path: string, headers = ''): Promise<number> {
    const connection = await RawConnection.open(posthorn.url)
    connection.write(`GET ${path} HTTP/1.1\r\n${host}${headers}\r\n`)
    const { status } = await connection.reply('GET', path)
    connection.close()
    return status
  }

  for (const [what, attack] of Object.entries(attacks)) {
    for (const addresses of [1, 50]) {
      test(`${what}, from ${addresses === 1 ? 'one address' : `${addresses} addresses`}, all others are answered`, async () => {
        attackers = new Attackers(posthorn.url, attack, addresses)
        await attackers.until(300)
        for (let round = 0; round < 10; round++) {
          assert.equal(await ask('/healthz'), 200)
          assert.equal(await ask('/readyz'), 200)
          assert.equal(await ask('/v1/instances', `authorization: Bearer ${posthorn.adminKey}\r\n`), 200)
          const body = { instance: 'trial', to: 'ana@accepts.sandbox', text: 'Meanwhile' }
          assert.equal((await posthorn.admin.call(sendTextMessage, { body })).status, 202)
        }
        await attackers.until(600)
      })
    }
  }

  test('share the address of a caller with a key, who is answered', async () => {
    attackers = new Attackers(posthorn.url, attacks['send a byte now and then after a 401'] as Attack, 1)
    await attackers.until(300)
    const authorization = `authorization: Bearer ${posthorn.adminKey}\r\n`
    let [answered, crowdedOut] = [0, 0]
    while (answered < 20) {
      const connection = await RawConnection.open(posthorn.url, '127.0.1.1')
      connection.write(`GET /v1/instances HTTP/1.1\r\n${host}${authorization}\r\n`)
      const reply = await connection.reply('GET', '/v1/instances').catch(() => undefined)
      connection.close()
      // If twenty of them come between its connection and its key, which only a busy machine lets happen, it comes again.
      if (reply === undefined) assert.ok(++crowdedOut < 10, `${answered} of 20 were answered`)
      else assert.equal(reply.status, 200)
      if (reply) answered++
    }
  })

  test('were there, the metrics tell how many connections were cut, and why', async () => {
    assert.equal((await posthorn.admin.call(listInstances)).status, 200)
    const { readFileSync } = await import('node:fs')
    const token = readFileSync(`${data}/metrics.token`, 'utf8').trim()
    const text = await readMetrics(posthorn.url, token)
    for (const reason of ['address_limit', 'full', 'lingering'])
      assert.match(text, new RegExp(`posthorn_http_connections_cut_total\\{reason="${reason}"\\} [1-9]`))
    assert.match(text, /posthorn_http_connections\{state="with_key"\} [1-9]/)
  })
})
