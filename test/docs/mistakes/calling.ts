import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { asks, curl, type Mistake } from './mistake.ts'

const text = { instance: 'trial', to: 'ana@reads.sandbox', text: 'Good morning' }

/** Mistakes with the key, and with the URL. */
const keysAndUrls: readonly Mistake[] = [
  {
    does: 'sends no key',
    act: asks('GET', '/v1/instances', { headers: { authorization: undefined } }),
    happened: /no (API )?key|without (a|an API) key|`Authorization` header/i,
    next: /Authorization: Bearer phk_/,
  },
  {
    does: 'leaves out the word Bearer',
    act: asks('GET', '/v1/instances', ({ posthorn }) => ({ headers: { authorization: posthorn.adminKey } })),
    happened: /Bearer/,
    next: /Authorization: Bearer phk_/,
  },
  {
    does: 'sends the key in the header of another gateway',
    act: asks('GET', '/v1/instances', ({ posthorn }) => ({
      headers: { authorization: undefined, 'x-api-key': posthorn.adminKey },
    })),
    happened: /X-Api-Key|other headers/i,
    next: /Authorization: Bearer phk_/,
  },
  {
    does: 'uses the key of another server',
    act: asks('GET', '/v1/instances', { headers: { authorization: `Bearer phk_${'7'.repeat(59)}` } }),
    happened:
      /(this server|here).*(no such|does not know|unknown)|(no such|does not know|unknown).*(this server|here)/i,
    next: /keys create|admin\.key|another key|ask/i,
  },
  {
    does: 'loses the end of the key when copying it',
    act: asks('GET', '/v1/instances', ({ posthorn }) => ({
      headers: { authorization: `Bearer ${posthorn.adminKey.slice(0, -9)}` },
    })),
    happened: /incomplete|too short|not complete|cut off|63 characters/,
    next: /copy|complete key|whole key/i,
  },
  {
    does: 'uses the token of the operator as a key',
    act: asks('GET', '/v1/instances', ({ posthorn }) => ({
      headers: {
        authorization: `Bearer ${readFileSync(join(posthorn.data, 'operator.token'), 'utf8').trim()}`,
      },
    })),
    happened: /operator/,
    next: /create a key/i,
  },
  {
    does: 'adds a slash at the end of the path',
    act: asks('GET', '/v1/instances/'),
    happened: /no such path/i,
    next: /Did you mean `GET \/v1\/instances`\?/,
  },
  {
    does: 'joins a base URL that ends in a slash with a path',
    act: ({ posthorn }) =>
      curl(`${posthorn.url}//v1/instances`, '-H', `Authorization: Bearer ${posthorn.adminKey}`),
    happened: /no such path/i,
    next: /Did you mean `GET \/v1\/instances`\?/,
  },
  {
    does: 'forgets /v1',
    act: asks('POST', '/messages/text', { body: text }),
    happened: /no such path/i,
    next: /Did you mean `POST \/v1\/messages\/text`\?/,
  },
  {
    does: 'gets where they should post',
    act: asks('GET', '/v1/messages/text'),
    happened: /does not support|method/i,
    next: /POST/,
  },
]

/** Mistakes in bodies. */
const bodies: readonly Mistake[] = [
  {
    does: 'ends a list of fields with a comma',
    act: asks('POST', '/v1/messages/text', { body: '{"instance": "trial", "to": "ana@reads.sandbox",\n}' }),
    happened: /comma|line 2|position|character \d+/i,
    next: /remove|valid JSON|comma/i,
  },
  {
    does: 'writes JSON with single quotes',
    act: asks('POST', '/v1/messages/text', { body: "{'instance': 'trial'}" }),
    happened: /quot|line 1|position|character \d+/i,
    next: /double quot|"/i,
  },
  {
    does: 'lets curl send a body without a content type',
    act: ({ posthorn }) =>
      curl(
        `${posthorn.url}/v1/messages/text`,
        ...['-H', `Authorization: Bearer ${posthorn.adminKey}`],
        ...['-d', JSON.stringify(text)],
      ),
    happened: /application\/x-www-form-urlencoded|media type/i,
    next: /Content-Type: application\/json/i,
  },
  {
    does: 'posts without a body',
    act: asks('POST', '/v1/messages/text'),
    happened: /no body|empty|body is (missing|required)/i,
    next: /JSON/,
  },
  {
    does: 'calls the recipient `number`, as another gateway does',
    act: asks('POST', '/v1/messages/text', {
      body: { instance: 'trial', number: '4915112345678', text: 'Hi' },
    }),
    happened: /`\/number`/,
    next: /Did you mean `to`\?/,
  },
  {
    does: 'sends an empty text',
    act: asks('POST', '/v1/messages/text', { body: { ...text, text: '' } }),
    happened: /`\/text`/,
    next: /at least (one|1) character|not be empty/i,
  },
  {
    does: 'sends a phone number as a number',
    act: asks('POST', '/v1/messages/text', { body: { ...text, to: 4915112345678 } }),
    happened: /`\/to`/,
    next: /string|quot/i,
  },
  {
    does: 'gives a time without its zone',
    act: asks('POST', '/v1/messages/text', { body: { ...text, send_at: '2030-01-01 09:00' } }),
    happened: /`\/send_at`/,
    next: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ|RFC 3339/,
  },
  {
    does: 'asks for more than a page holds',
    act: asks('GET', '/v1/messages?limit=5000'),
    happened: /`query\/limit`/,
    next: /at most|200/,
  },
]

export const callingMistakes: readonly Mistake[] = [...keysAndUrls, ...bodies]
