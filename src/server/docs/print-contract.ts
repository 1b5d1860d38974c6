import { json } from 'node:stream/consumers'
import { serialize } from 'node:v8'
import { type OpenApiInput, openapi } from '../../contract/openapi/openapi.ts'
import { gzip } from '../responses/gzip.ts'

/*
 * Run as a child process: prints the `WrittenContract` of the `OpenApiInput` that it reads as JSON. What describes the contract takes
 * more than 20 megabytes, of which the server's process would give nothing back.
 */

/** The OpenAPI document as it is sent. */
export interface WrittenContract {
  readonly bytes: Buffer
  /** The same bytes for callers that accept gzip. */
  readonly gzipped: Buffer
}

const text = JSON.stringify(openapi((await json(process.stdin)) as OpenApiInput))
const contract: WrittenContract = { bytes: Buffer.from(text), gzipped: await gzip(text) }
process.stdout.write(serialize(contract))
