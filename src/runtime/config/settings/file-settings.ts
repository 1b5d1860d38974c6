import { secretSetting, setting } from '../setting.ts'
import { optional, parseEndpoint, parseOneOf, parsePrefix, text } from '../setting-values.ts'

/** Settings for keeping files. */
export const fileSettings = {
  POSTHORN_MEDIA_STORE: setting(
    '',
    'Where files larger than 64 KB are kept: `files` in the data folder, `postgres` in the database, or `s3` in object storage. Smaller files are kept in the store. If not set, `postgres` if `POSTHORN_DATABASE_URL` is set, otherwise `files`.',
    optional(parseOneOf('files', 'postgres', 's3')),
  ),
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
  POSTHORN_S3_ACCESS_KEY_ID: secretSetting('The access key id for the bucket.', text),
  POSTHORN_S3_SECRET_ACCESS_KEY: secretSetting('The secret access key for the bucket.', text),
} as const
