import { setting } from './setting.ts'
import { optional, parseEndpoint, parsePrefix, text } from './setting-values.ts'

/** Where files are kept if they are kept in an object storage. */
export const objectStorageSettings = {
  POSTHORN_S3_ENDPOINT: setting(
    '',
    'The URL of the object storage. If not set, Amazon S3.',
    optional(parseEndpoint),
  ),
  POSTHORN_S3_REGION: setting('us-east-1', 'The region of the object storage.', text),
  POSTHORN_S3_BUCKET: setting('', 'The bucket for files. It must already exist.', optional(text)),
  POSTHORN_S3_PREFIX: setting(
    'posthorn/',
    'The prefix of all object keys. Every Posthorn installation needs its own bucket or prefix.',
    parsePrefix,
  ),
  POSTHORN_S3_ACCESS_KEY_ID: setting('', 'The access key id for the bucket.', optional(text)),
  POSTHORN_S3_SECRET_ACCESS_KEY: setting('', 'The secret access key for the bucket.', optional(text)),
} as const
