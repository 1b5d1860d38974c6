import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/*
 * Serves a Posthorn whose console has one more screen, `#/parts`: every part of the console in every state. The screen is in no build,
 * so that people who use Posthorn load nothing of it, and cannot reach it.
 */

const folder = new URL('../../../src/web/console/screens/parts/', import.meta.url)
const modules = /^\/console\/files\/[^/]+\/web\/console\/screens\/parts\/([\w-]+\.ts)$/
const routes = /\/web\/console\/shell\/routes\.ts$/
const table = 'export const routes'

/** Starts it before the Posthorn at a URL. */
export async function startPartsServer(
  target: string,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = createServer((asked, answer) => {
    respond(target, asked, answer).catch(() => answer.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function respond(target: string, asked: IncomingMessage, answer: ServerResponse): Promise<void> {
  const path = asked.url ?? '/'
  const [, name] = modules.exec(path) ?? []
  if (name !== undefined) {
    answer.setHeader('content-type', 'text/javascript; charset=utf-8')
    answer.end(moduleOf(name))
    return
  }
  const isChanged = routes.test(path)
  const headers = { ...asked.headers, ...(isChanged ? { 'accept-encoding': 'identity' } : {}) }
  const onward = request(new URL(path, target), { method: asked.method, headers })
  asked.pipe(onward)
  answer.on('close', () => onward.destroy())
  const [given] = (await once(onward, 'response')) as [IncomingMessage]
  const { 'content-length': length, ...kept } = given.headers
  answer.writeHead(
    given.statusCode ?? 502,
    isChanged ? kept : { ...kept, ...(length && { 'content-length': length }) },
  )
  if (!isChanged) return void given.pipe(answer)
  const text = String(await buffer(given))
  answer.end(withParts(text))
}

/** The table of screens with one more, which is loaded like the others. */
function withParts(text: string): string {
  const at = text.indexOf('[', text.indexOf('=', text.indexOf(table)))
  if (!text.includes(table)) throw new Error('the table of screens is not where it was')
  const route = `{ pattern: ['parts'], load: () => import('../screens/parts/part-list.ts') },`
  return `${text.slice(0, at + 1)}${route}${text.slice(at + 1)}`
}

/** A module of the screen as a browser takes it: without types, and with the paths of the libraries. */
function moduleOf(name: string): string {
  const text = stripTypeScriptTypes(readFileSync(new URL(name, folder), 'utf8'), { mode: 'strip' })
  return text.replaceAll(
    /(\bfrom\s*)'(preact(?:\/hooks)?)'/g,
    (_, from: string, library: string) => `${from}'../../../../libraries/${library.replace('/', '-')}.js'`,
  )
}
