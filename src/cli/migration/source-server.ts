import { Refusal } from '../command.ts'
import type { SourceGateway, SourceServer } from './gateway.ts'

/** Bytes of an answer that are read at most. */
const maxAnswer = 16 * 1024 * 1024
/** Milliseconds that one answer may take. */
const answerTimeout = 20_000
/** Milliseconds that all answers together may take. */
const readingTimeout = 600_000

/**
 * Reads from another gateway, which need not mean well: time and size of its answers are bounded, and it is never followed to
 * another place, because the key would go along. Nothing of an answer is repeated in an error, since it may hold secrets.
 */
export function sourceServer(gateway: SourceGateway, url: string, key: string): SourceServer {
  const base = url.replace(/\/+$/, '')
  const whole = AbortSignal.timeout(readingTimeout)
  const ask = async (path: string) => {
    const signal = AbortSignal.any([whole, AbortSignal.timeout(answerTimeout)])
    const headers = { accept: 'application/json', [gateway.keyHeader]: key }
    try {
      const response = await fetch(base + path, { headers, redirect: 'manual', signal })
      return { status: response.status, text: await boundedText(response) }
    } catch (error) {
      if (error instanceof Refusal) throw error
      const { name, message, cause } = error as Error
      const why = name === 'TimeoutError' ? 'it takes too long' : ((cause as Error)?.message ?? message)
      throw new Refusal(`${gateway.name} at ${hostOf(url)} cannot be read: ${why}`)
    }
  }
  const readOrStatus: SourceServer['readOrStatus'] = async (path) => {
    const { status, text } = await ask(path)
    if (status !== 200) return { status }
    return { value: text === '' ? undefined : parsedAnswer(gateway, text) }
  }
  return {
    readOrStatus,
    async read(path) {
      const answer = await readOrStatus(path)
      if ('value' in answer) return answer.value
      throw new Refusal(refusalFor(gateway, answer.status))
    },
  }
}

/** The host of a URL, since the rest of it may hold a password. */
const hostOf = (url: string): string => new URL(url).host

function refusalFor({ name, guide }: SourceGateway, status: number): string {
  if (status === 401 || status === 403)
    return `${name} does not take the key (${status}); use the one that may list everything`
  if (status >= 300 && status < 400)
    return `${name} redirects to another place (${status}), where its key is not sent; give the URL at which it answers`
  if (status === 404)
    return `there is no ${name} at this URL (404); give the URL below which its paths are, as ${guide} lists them`
  return `${name} answered ${status}; look at its log, and run this again`
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > maxAnswer)
      throw new Refusal(`the answer of the other gateway is larger than ${maxAnswer} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function parsedAnswer({ name }: SourceGateway, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal(`the answer is not JSON; check that ${name} is at this URL`)
  }
}
