import type { HttpClient } from '../../net/http/client.ts'
import type { AccountProof, AccountQuestion } from '../driver/abilities/callbacks.ts'
import type { Json } from '../kit/json.ts'
import { endingOf, type Trouble, troubleIn } from './errors.ts'
import { GraphApi } from './graph/graph-api.ts'
import { Questions } from './graph/questions.ts'
import { type CloudApp, type CloudCredentials, type CloudSettings, versionIn } from './settings.ts'

export interface ApiOptions {
  /** In front of the version of the Graph API. */
  readonly baseUrl: string
  /** The app of the operator, if there is one that instances may use. */
  readonly app: CloudApp | undefined
  /** Milliseconds that the API may take. */
  readonly timeouts: GraphTimeouts
}

export interface GraphTimeouts {
  /** To say what the number is. */
  readonly question: number
  /** To tell by a callback what became of an order about a group, after its answer. */
  readonly confirmation: number
  /** To take a message or a file, besides the time for the bytes, or to say where a file is. */
  readonly answer: number
}

/** An instance, and the client and the signal for what it asks. */
export interface Asking {
  readonly settings: CloudSettings
  readonly credentials: CloudCredentials
  readonly http: HttpClient
  readonly signal: AbortSignal
}

/** The API as an instance uses it: with the secret of its own app, or of that of the operator. */
export function apiOf({ baseUrl, app }: ApiOptions, { settings, credentials, http }: Asking): GraphApi {
  const { access_token: token, app_secret: appSecret = app?.app_secret } = credentials
  return new GraphApi({ http, baseUrl, token, appSecret, version: versionIn(settings) })
}

export function questionsOf(
  api: GraphApi,
  { timeouts }: ApiOptions,
  { settings, signal }: Asking,
): Questions {
  return new Questions({
    api,
    phoneNumberId: settings.phone_number_id,
    answerTime: timeouts.question,
    signal,
  })
}

/** Asks if the token reaches the number, and its account if one is given; returns the number, or why it does not. */
export async function askForNumber(
  questions: Questions,
  account: string | null,
): Promise<{ readonly number: Json } | { readonly trouble: Trouble }> {
  const number = await questions.ofNumber()
  if (number.kind !== 'ok') return { trouble: troubleIn(number) }
  const answer = account === null ? number : await questions.ofAccount(account)
  if (answer.kind === 'ok') return { number: number.json }
  const trouble = troubleIn(answer)
  return { trouble: trouble.code === 'number_unknown' ? { code: 'business_account_unknown' } : trouble }
}

/** As `SharedCallbacks.verifyAccount`. */
export async function verifyAccount(
  options: ApiOptions,
  { account, ...question }: AccountQuestion,
): Promise<AccountProof> {
  const settings = question.settings as CloudSettings
  if (settings.phone_number_id !== account) return 'refused'
  const asking = { ...question, settings, credentials: question.credentials as CloudCredentials }
  const questions = questionsOf(apiOf(options, asking), options, asking)
  const answer = await askForNumber(questions, settings.business_account_id ?? null)
  if ('number' in answer) return 'proven'
  return endingOf(answer.trouble.code).kind === 'connection-lost' ? 'unknown' : 'refused'
}
