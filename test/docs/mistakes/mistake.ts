import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { rawRequest } from '../../kit/http/raw-request.ts'
import { ofThisRun, type Posthorn } from '../../kit/posthorn.ts'
import { endWithUs } from '../../kit/processes/end-with-us.ts'
import { type Ran, runCommand } from '../../kit/processes/run-command.ts'
import { root } from '../../kit/source-tree.ts'

/** The place where a newcomer makes their mistakes: a server that runs, with the instance `trial`, and a folder of their own. */
export interface Stage {
  readonly posthorn: Posthorn
  readonly folder: string
}

/** Makes a mistake for real; resolves with all that the newcomer is told. */
export type Act = (stage: Stage) => Promise<string>

/** A mistake, and words that the answer to it must have. */
export interface Mistake {
  readonly does: string
  readonly act: Act
  /** Words that name what happened. */
  readonly happened: RegExp
  /** Words that say what to do next. */
  readonly next: RegExp
}

/** A request as a newcomer makes it: with their key and as JSON, unless it says otherwise. */
export interface Asked {
  readonly body?: string | object
  /** Headers in addition; one that is undefined is left out. */
  readonly headers?: Readonly<Record<string, string | undefined>>
}

/** The variables and the program of a start that must fail. */
export interface Start {
  readonly environment?: Readonly<Record<string, string>>
  readonly words?: readonly string[]
  readonly flags?: readonly string[]
  readonly data?: string
}

/** Starts a server that is expected to end by itself. */
export function starts(start: Start | ((stage: Stage) => Start | Promise<Start>)): Act {
  return async (stage) => {
    const given = typeof start === 'function' ? await start(stage) : start
    return endOfServer(given, given.data ?? join(stage.folder, randomUUID()))
  }
}

/** Starts a server on this folder, and resolves with its words once it has ended. */
export function endOfServer({ environment, words = [], flags = [] }: Start, data: string): Promise<string> {
  const child = spawn(process.execPath, [...flags, join(root, 'src/main.js'), ...words], {
    env: { ...ofThisRun(), POSTHORN_LISTEN: '127.0.0.1:0', POSTHORN_DATA: data, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  endWithUs(child)
  let said = ''
  return new Promise((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      said += chunk.toString()
      if (!said.includes(' serves on ')) return
      child.kill('SIGKILL')
      reject(new Error(`it started: ${said}`))
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('close', (code) => {
      assert.notEqual(code, 0, said)
      resolve(said.replaceAll(/^\{"level".*\n/gm, ''))
    })
  })
}

/** Sends a request that is refused; the answer is the detail of its problem, and the explanation of its code. */
export function asks(method: string, path: string, asked: Asked | ((stage: Stage) => Asked) = {}): Act {
  return async (stage) => {
    const { body, headers = {} } = typeof asked === 'function' ? asked(stage) : asked
    const { posthorn } = stage
    const all = {
      authorization: `Bearer ${posthorn.adminKey}`,
      'content-type': body === undefined ? undefined : 'application/json',
      ...headers,
    }
    const reply = await posthorn.client().rawRequest(method, path, {
      headers: Object.fromEntries(
        Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      ),
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    assert.ok(reply.status >= 400, `it was answered with ${reply.status}`)
    return wordsOf(reply.json)
  }
}

/** The sentences of a problem. */
function wordsOf(json: unknown): string {
  const { title, detail } = json as { title: string; detail: string }
  return `${title}. ${detail}`
}

/** Makes a request that is accepted, and resolves with its body. */
export async function accepted(
  { posthorn }: Stage,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const reply = await rawRequest(posthorn, [method, path], body && JSON.stringify(body), {
    prefer: 'wait=20',
  })
  assert.ok(reply.status < 400, JSON.stringify(reply.json))
  return reply.json as Record<string, unknown>
}

/** Types a command that fails, in the newcomer's folder, beside the server unless `environment` says otherwise. */
export function types(
  words: readonly string[] | ((stage: Stage) => readonly string[]),
  environment: Readonly<Record<string, string>> = {},
): Act {
  return async (stage) => {
    const { code, out, err } = await run(
      stage,
      typeof words === 'function' ? words(stage) : words,
      environment,
    )
    assert.notEqual(code, 0, out)
    return err
  }
}

/** Types a command that does something, and resolves with all that it says. */
export function said(words: readonly string[]): Act {
  return async (stage) => {
    const { out, err } = await run(stage, words)
    return out + err
  }
}

function run(
  { posthorn, folder }: Stage,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  return runCommand(words, {
    cwd: folder,
    environment: {
      XDG_CONFIG_HOME: join(folder, 'config'),
      POSTHORN_DATA: posthorn.data,
      POSTHORN_LISTEN: new URL(posthorn.url).host,
      ...environment,
    },
  })
}

/** Runs curl, as it stands in a newcomer's terminal. */
export function curl(...words: readonly string[]): Promise<string> {
  return new Promise((resolve) =>
    execFile('curl', ['-sS', '--max-time', '60', ...words], (_, stdout, stderr) => resolve(stdout + stderr)),
  )
}
