import { promisify } from 'node:util'
import { serialize } from 'node:v8'
import { gzip } from 'node:zlib'
import scalar from '@scalar/fastify-api-reference'
import fastify from 'fastify'

/*
 * Run as a child process: prints the `DocsComponent`, the Scalar component as one script. Its package is some megabytes, most of them this
 * script as a text, of which the server's process would give nothing back. It gives the script away only through a Fastify
 * plugin, so one is asked, in memory.
 */

export interface DocsComponent {
  readonly body: Buffer
  readonly gzipped: Buffer
}

const server = fastify()
await server.register(scalar, { routePrefix: '/docs', configuration: { url: '/v1/openapi.json' } })
const { statusCode, rawPayload: body } = await server.inject('/docs/js/scalar.js')
if (statusCode !== 200) throw new Error(`the reference component responded with ${statusCode}`)
const component: DocsComponent = { body, gzipped: await promisify(gzip)(body) }
process.stdout.write(serialize(component))
