import type { FetchRequest } from '../../../net/fetch/fetch.ts'

/** The file must have at most `largest` bytes. */
export type FileRequest = Pick<FetchRequest, 'largest' | 'signal'>
