import { createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Accounts } from './accounts.ts'
import { GraphError, ProofError, unknownObject } from './graph-error.ts'
import type { Groups } from './groups/groups.ts'
import { json, type Reply, readJson } from './http.ts'
import type { Media } from './sending/media.ts'
import type { Answer, Messages } from './sending/messages.ts'
import type { BusinessNumber, StoredFile, World } from './world.ts'

/** Versions that are alive. Source: Graph API changelog, 2026-07-29. */
const versions = { oldest: 21, newest: 26 }

const largestJson = 1024 * 1024

/** One request, as far as its address says what it is for. */
export interface Call {
  /** Its purpose; faults can be for one of these. */
  readonly operation: string
  readonly request: IncomingMessage
  readonly url: URL
  readonly version: string
  readonly object: string
  /** The number that has the file, if the call is about one and says whose it is. */
  readonly fileOf: string | null
}

/** An answer, and the work that follows once it has gone. */
export interface Outcome {
  readonly reply: Reply
  readonly afterwards?: () => void
}

/** The operations, by method and edge; those of an object itself have an edge of its kind. */
const operations: Readonly<Record<string, string>> = {
  'POST messages': 'send',
  'POST media': 'upload',
  'GET message_history': 'history',
  'GET message_templates': 'templates',
  'GET phone_numbers': 'numbers',
  'GET subscribed_apps': 'subscriptions',
  'POST subscribed_apps': 'subscribe',
  'DELETE subscribed_apps': 'unsubscribe',
  'GET groups': 'groups',
  'POST groups': 'create-group',
  'DELETE participants': 'remove-members',
  'GET join_requests': 'join-requests',
  'POST join_requests': 'approve-requests',
  'DELETE join_requests': 'reject-requests',
  'GET invite_link': 'group-link',
  'POST invite_link': 'new-group-link',
  'GET ': 'object',
  'POST ': 'configure',
  'DELETE ': 'delete-media',
}

/** Those of a group itself: its id has letters. */
const groupOperations: Readonly<Record<string, string>> = {
  GET: 'group',
  POST: 'change-group',
  DELETE: 'delete-group',
}

/** Returns the call that a request to this path is; undefined if the Graph API has none. */
export function callOf(request: IncomingMessage): Call | undefined {
  const url = new URL(request.url ?? '', `http://${request.headers.host}`)
  if (url.pathname === '/whatsapp_business/attachments/')
    return { operation: 'download', request, url, version: '', object: '', fileOf: null }
  const [, version = '', named = '', edge = '', ...more] = url.pathname.split('/')
  const object = decodeURIComponent(named)
  const isGroup = edge === '' && /[A-Za-z]/.test(object)
  const operation = isGroup ? groupOperations[request.method ?? ''] : operations[`${request.method} ${edge}`]
  if (operation === undefined || more.length > 0 || !/^v\d+\.0$/.test(version)) return undefined
  return { operation, request, url, version, object, fileOf: url.searchParams.get('phone_number_id') }
}

/** The parts of the Graph API that do what calls ask for. */
export interface Departments {
  readonly messages: Messages
  readonly media: Media
  readonly accounts: Accounts
  readonly groups: Groups
}

/** The Graph API, as far as messages need it. */
export class Graph {
  readonly #world: World
  readonly #messages: Messages
  readonly #media: Media
  readonly #accounts: Accounts
  readonly #groups: Groups

  constructor(world: World, { messages, media, accounts, groups }: Departments) {
    this.#world = world
    this.#groups = groups
    this.#messages = messages
    this.#media = media
    this.#accounts = accounts
  }

  /** Does what a call asks for; refusals are answers, too. */
  async do(call: Call): Promise<Outcome> {
    try {
      if (call.operation === 'download') return { reply: this.#download(call) }
      checkVersion(call.version)
      const wabas = this.#wabasOf(call.request)
      this.#checkProof(call)
      const { body, afterwards } = await this.#answer(call, wabas)
      return { reply: json(200, body), ...(afterwards && { afterwards }) }
    } catch (error) {
      if (!(error instanceof GraphError)) throw error
      return { reply: this.refuse(call.operation, error) }
    }
  }

  refuse(operation: string, error: GraphError): Reply {
    const body = error.body()
    this.#world.refused.push({ at: this.#world.now(), operation, error: body.error })
    this.#world.changed.emit('changed')
    return json(error.status, body)
  }

  async #answer(call: Call, wabas: readonly string[]): Promise<Answer> {
    const { operation, request, url, object } = call
    const number = () => this.#number(object, wabas)
    const waba = () => ownWaba(object, wabas)
    switch (operation) {
      case 'send':
        return this.#messages.post(number(), await bodyOf(request))
      case 'upload':
        return { body: await this.#media.upload(number(), request) }
      case 'history':
        return { body: this.#accounts.history(number(), url) }
      case 'templates':
        return { body: this.#accounts.templates(waba(), url) }
      case 'numbers':
        return { body: this.#accounts.numbers(waba(), url) }
      case 'subscriptions':
        return { body: this.#accounts.subscriptions(waba()) }
      case 'subscribe':
        return { body: await this.#accounts.subscribe(waba(), await readJson(request, largestJson)) }
      case 'unsubscribe':
        return { body: this.#accounts.unsubscribe(waba()) }
      case 'configure':
        return { body: await this.#accounts.configure(number(), await bodyOf(request)) }
      case 'delete-media':
        this.#world.files.delete(this.#file(object, wabas).id)
        return { body: { success: true } }
      default:
        return (await this.#answerAboutGroup(call, wabas)) ?? { body: this.#object(call, wabas) }
    }
  }

  /** Undefined if the call is about none. */
  async #answerAboutGroup(call: Call, wabas: readonly string[]): Promise<Answer | undefined> {
    const { operation, request, url, object } = call
    const groups = this.#groups
    const group = () => groups.group(object, wabas)
    switch (operation) {
      case 'groups':
        return { body: groups.list(this.#number(object, wabas), url) }
      case 'create-group':
        return groups.create(this.#number(object, wabas), await bodyOf(request))
      case 'group':
        return { body: groups.show(group(), url.searchParams.get('fields')) }
      case 'change-group':
        return groups.change(group(), await bodyOf(request))
      case 'delete-group':
        return groups.remove(group())
      case 'remove-members':
        return groups.removeMembers(group(), await bodyOf(request))
      case 'join-requests':
        return { body: groups.requests(group(), url) }
      case 'approve-requests':
      case 'reject-requests':
        return groups.answer(group(), await bodyOf(request), operation === 'approve-requests')
      case 'group-link':
        return { body: groups.link(group()) }
      case 'new-group-link':
        return { body: groups.newLink(group(), await bodyOf(request)) }
    }
    return undefined
  }

  #object({ object, url }: Call, wabas: readonly string[]): unknown {
    if (this.#world.numbers.has(object))
      return this.#accounts.number(this.#number(object, wabas), url.searchParams.get('fields'))
    // Accounts that the bearer may not see are unknown, like files.
    if (wabas.includes(object)) return this.#accounts.waba(object, url.searchParams.get('fields'))
    return this.#media.describe(this.#file(object, wabas), url.searchParams.get('phone_number_id'))
  }

  #download({ request, url }: Call): Reply {
    const wabas = this.#wabasOf(request)
    return this.#media.download(url.searchParams, (id) =>
      wabas.includes(this.#world.numbers.get(id)?.waba ?? ''),
    )
  }

  #number(id: string, wabas: readonly string[]): BusinessNumber {
    const number = this.#world.numbers.get(id)
    if (!number || !wabas.includes(number.waba)) throw unknownObject(id)
    return number
  }

  #file(id: string, wabas: readonly string[]): StoredFile {
    const file = this.#world.file(id)
    if (!file || !wabas.includes(this.#world.numbers.get(file.number)?.waba ?? '')) throw unknownObject(id)
    return file
  }

  /**
   * An app may want every request proven with its secret. A proof that is given has to be right in any case. Source: Graph API, Secure
   * Graph API calls. Throws a GraphError.
   */
  #checkProof({ request, url }: Call): void {
    const { settings, app, tokens } = this.#world
    const proof = url.searchParams.get('appsecret_proof')
    const token = bearerOf(request) ?? ''
    const { app_secret = app.secret } = tokens.get(token) ?? {}
    const right = createHmac('sha256', app_secret).update(token).digest('hex')
    if (proof === null ? settings.require_proof : proof !== right) throw new ProofError(proof)
  }

  /** The accounts that the bearer of the request may see. Throws a GraphError. */
  #wabasOf(request: IncomingMessage): readonly string[] {
    const given = bearerOf(request)
    if (given === undefined) throw new GraphError(190, 'An access token is required.')
    const token = this.#world.tokens.get(given)
    if (!token) throw new GraphError(190, 'Invalid OAuth access token - Cannot parse access token')
    if (token.state === 'revoked') throw new GraphError(190, 'The session has been invalidated.', 460)
    if (token.state === 'expired') throw new GraphError(190, 'The session has expired.', 463)
    if (token.state === 'without-permission')
      throw new GraphError(10, 'Application does not have permission for this action.')
    return token.wabas
  }
}

function bearerOf({ headers }: IncomingMessage): string | undefined {
  return /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1]
}

function ownWaba(id: string, wabas: readonly string[]): string {
  if (!wabas.includes(id)) throw unknownObject(id)
  return id
}

function checkVersion(version: string): void {
  const number = Number.parseInt(version.slice(1), 10)
  if (number > versions.newest) throw new GraphError(2500, `Unknown path components: /${version}`)
  if (number < versions.oldest) throw new GraphError(2635, `The version ${version} is no longer available.`)
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  if (!request.headers['content-type']?.startsWith('application/json'))
    throw new GraphError(100, 'The body must be application/json.')
  return readJson(request, largestJson)
}
