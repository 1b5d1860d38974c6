import { randomFillSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Prosody, prosody, startProsody } from '../test/kit/networks/xmpp/prosody.ts'
import { type Bench, type Figure, median, megabytes, type Row, rateRow } from './figure.ts'
import { type Posthorn, startPosthorn, untilMetric } from './posthorn.ts'
import { runModule } from './process.ts'

const size = 100e6
const rounds = 5
const figure = '100 MB upload to XMPP, from the POST to sent'
const password = 'a password'

/** The order to the upload process. */
export interface UploadOrder {
  /** It is altered in each round. */
  readonly file: string
  /** In bytes. */
  readonly size: number
  readonly rounds: number
  readonly xmpp: {
    readonly service: string
    readonly domain: string
    readonly username: string
    readonly password: string
  }
  readonly posthorn: {
    readonly url: string
    readonly key: string
    readonly fields: Readonly<Record<string, string>>
  }
}

/** Duration of one round on either side, in milliseconds. */
export interface UploadTimes {
  readonly plain: number
  readonly posthorn: number
}

/** A large file through Posthorn to a real Prosody, beside a plain `fetch` of the same file to the same upload service. */
export const xmppUpload: Figure = {
  name: 'xmpp-upload',
  async measure(bench) {
    if (!prosody.available) {
      bench.note(`skipped: ${prosody.reason}`)
      return [{ figure, measured: 'skipped: Prosody is not installed' }]
    }
    const server = await startProsody({ starttls: 'off', uploads: {} })
    // Its certificate is made for this run.
    const authority = join(bench.folder, 'prosody.pem')
    writeFileSync(authority, server.certificate)
    const environment = { NODE_EXTRA_CA_CERTS: authority }
    const posthorn = await startPosthorn(join(bench.folder, 'xmpp-upload'), {
      ...environment,
      POSTHORN_CONNECT_ALLOW_CIDRS: '127.0.0.0/8',
    })
    try {
      await connect(posthorn, server)
      return [rowOf(await upload(bench, { posthorn, server, environment }))]
    } finally {
      await posthorn.end()
      await server.remove()
    }
  },
}

async function connect(posthorn: Posthorn, server: Prosody): Promise<void> {
  await server.createUser('support', password)
  const settings = {
    address: server.address('support'),
    service: `xmpp://127.0.0.1:${server.port}`,
    allow_plaintext: true,
  }
  const instance = { name: 'support', network: 'xmpp', settings, credentials: { password } }
  await posthorn.post('/v1/instances', instance, 201)
  await untilMetric(posthorn, 'posthorn_instances{status="connected"}', 1)
}

interface Sides {
  readonly posthorn: Posthorn
  readonly server: Prosody
  readonly environment: Record<string, string>
}

async function upload(bench: Bench, { posthorn, server, environment }: Sides): Promise<UploadTimes[]> {
  const file = join(bench.folder, 'film.bin')
  writeFileSync(file, randomFillSync(Buffer.alloc(size)))
  await server.createUser('ana', password)
  const order: UploadOrder = {
    file,
    size,
    rounds,
    xmpp: { service: `xmpp://127.0.0.1:${server.port}`, domain: server.domain, username: 'ana', password },
    posthorn: {
      url: posthorn.url,
      key: posthorn.key,
      fields: { instance: 'support', to: server.address('ana'), kind: 'document' },
    },
  }
  const said = await runModule('./upload-process.ts', [JSON.stringify(order)], environment)
  const times = JSON.parse(said) as UploadTimes[]
  for (const [index, time] of times.entries())
    bench.note(`round ${index + 1}: ${rate(time.posthorn)} of ${rate(time.plain)}`)
  return times
}

const bytesPerSecond = (duration: number) => (size * 1000) / duration
const rate = (duration: number) => writeRate(bytesPerSecond(duration))
const writeRate = (rate: number) => `${megabytes(rate)}/s`

function rowOf(times: readonly UploadTimes[]): Row {
  const of = (pick: (times: UploadTimes) => number) => median(times.map(pick))
  return rateRow(
    figure,
    of(({ posthorn }) => bytesPerSecond(posthorn)),
    of(({ plain }) => bytesPerSecond(plain)),
    of(({ posthorn, plain }) => plain / posthorn),
    0.5,
    writeRate,
  )
}
