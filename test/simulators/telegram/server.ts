import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type Actions, actions } from './control.ts'
import { carryOut } from './methods.ts'
import { bodyOf, readParameters } from './parameters.ts'
import { notFound, Refusal } from './refusal.ts'
import { type Answer, answer, type Fault, isTaken } from './sending/faults.ts'
import type { Call } from './sending/sending.ts'
import { Telegram } from './telegram.ts'

const largestControl = 100 * 1024 * 1024

/** A Telegram of its own: the Bot API under `/bot` and `/file`, and what tests do with it under `/control`. */
export function telegramServer(): Server {
  const telegram = new Telegram()
  const server = createServer((request, response) => {
    for (const side of [request, response]) side.on('error', () => {})
    void serve(telegram, request, response)
  })
  // For longer than a play lasts: a caller on a busy machine is late to see that an idle connection was closed, and would still use it.
  server.keepAliveTimeout = 3_600_000
  return server
}

async function serve(telegram: Telegram, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } =
    URL.parse(`http://localhost${request.url}`) ?? new URL('http://localhost')
  const [, action] = /^\/control\/(\w+)$/.exec(pathname) ?? []
  if (action !== undefined) return control(telegram, action, request, response)
  const [, rawToken = '', path] = /^\/file\/bot([^/]+)\/(.+)$/.exec(pathname) ?? []
  const [, botToken = rawToken, method = ''] = /^\/bot([^/]+)\/([^/]+)$/.exec(pathname) ?? []
  const token = decoded(botToken)
  const name = path === undefined ? method.toLowerCase() : 'download'
  telegram.count(token, name)
  const fault = telegram.faults.take(name, token)
  if (path !== undefined) {
    request.resume()
    await answer(response, download(telegram, token, decoded(path)), fault)
    return
  }
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  const call = {
    telegram,
    gone: gone.signal,
    again: fault?.kind === 'again',
    atOnce: fault?.kind === 'at-once',
  }
  const carried = await attempt(call, { token, method, fault }, request, searchParams)
  const isWhole = await answer(response, carried.answer, fault)
  if (carried.taken) carried.taken.answered = isWhole
}

/** Carries a call out, if its fault lets it. */
async function attempt(
  call: Pick<Call, 'telegram' | 'gone' | 'again' | 'atOnce'>,
  { token, method, fault }: { token: string; method: string; fault: Fault | undefined },
  request: IncomingMessage,
  query: URLSearchParams,
): Promise<{ answer: Answer; taken?: Call['taken'] }> {
  try {
    const parameters = await readParameters(request, query)
    if (method === '') throw notFound()
    const bot = call.telegram.bot(token)
    if (fault?.kind === 'revoke') {
      call.telegram.revoke(bot)
      call.telegram.bot(token)
    }
    if (!isTaken(fault)) return { answer: asAnswer(200, { ok: true, result: true }) }
    const whole: Call = { ...call, bot, parameters }
    const result = await carryOut(method, whole)
    return { answer: asAnswer(200, { ok: true, result }), taken: whole.taken }
  } catch (error) {
    return { answer: refused(error) }
  }
}

function download(telegram: Telegram, token: string, path: string): Answer {
  try {
    const { user } = telegram.bot(token)
    const { bytes } = telegram.files.read(user.id, path, telegram.now())
    return { status: 200, type: 'application/octet-stream', body: bytes }
  } catch (error) {
    return refused(error)
  }
}

/** Undecodable text stays as it is: nothing has such a name. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function asAnswer(status: number, body: object): Answer {
  return { status, type: 'application/json', body: Buffer.from(JSON.stringify(body)) }
}

function refused(error: unknown): Answer {
  if (!(error instanceof Refusal)) {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
    return asAnswer(500, { ok: false, error_code: 500, description: 'Internal Server Error' })
  }
  const { code, message, parameters } = error
  return asAnswer(code, {
    ok: false,
    error_code: code,
    description: message,
    ...(parameters && { parameters }),
  })
}

async function control(
  telegram: Telegram,
  name: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const reply = (status: number, value: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value ?? null))
  }
  try {
    const given = JSON.parse((await bodyOf(request, largestControl)).toString())
    if (!Object.hasOwn(actions, name)) throw new Error('There is no such action.')
    const action = actions[name as keyof Actions] as (telegram: Telegram, given: unknown) => unknown
    reply(200, await action(telegram, given))
  } catch (error) {
    reply(400, { error: error instanceof Error ? error.message : String(error) })
  }
}
