import { createHmac, timingSafeEqual } from 'node:crypto'
import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import Fastify from 'fastify'
import { queuedMedia, queuedMessage } from '../src/contract/resources/examples.ts'
import { SendText } from '../src/contract/resources/sending.ts'
import { callbackSecret } from './callback-load.ts'

/*
 * The baseline: what Fastify alone does with the same request. It checks the body against the same schema, or reads a form to
 * its end, and answers with a message of the same fields and size, but knows no key, keeps nothing and sends nothing. Of a callback it
 * checks the signature.
 */

const server = Fastify()
server.get('/readyz', async () => ({ status: 'ok' }))
server.post('/v1/messages/text', { schema: { body: SendText } }, async (request, reply) => {
  const { instance, to, text } = request.body as SendText
  return reply.code(202).send({ ...queuedMessage, instance, to, text })
})

server.addContentTypeParser('multipart/form-data', (request, payload, done) => {
  const fields: Record<string, string> = {}
  const parser = new Busboy({ headers: request.headers as BusboyHeaders })
  parser.on('field', (name, value) => {
    fields[name] = value
  })
  parser.on('file', (_name, bytes) => bytes.resume())
  parser.once('finish', () => done(null, fields))
  payload.pipe(parser)
})
server.post('/v1/messages/media', async (request, reply) => {
  return reply.code(202).send({ ...queuedMedia, ...(request.body as Record<string, string>) })
})

server.register((scope, _options, done) => {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, taken) => taken(null, bytes))
  scope.post('/v1/callbacks/:network/:token', async (request, reply) => {
    const body = request.body as Buffer
    const expected = Buffer.from(`sha256=${createHmac('sha256', callbackSecret).update(body).digest('hex')}`)
    const given = Buffer.from(String(request.headers['x-hub-signature-256']))
    const isSigned = given.length === expected.length && timingSafeEqual(given, expected)
    return reply.code(isSigned ? 200 : 401).send()
  })
  done()
})

process.on('SIGTERM', () => process.exit(0))
await server.listen({ host: '127.0.0.1', port: Number(process.env.BARE_PORT) })
