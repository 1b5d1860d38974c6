import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { anyText, type SettingCase, testSettings } from '../../../test/kit/config/setting-cases.ts'
import { examineConfig, readConfig, settingNames } from '../../networks/config.ts'
import type { SettingName } from './config.ts'

const folder = mkdtempSync(join(tmpdir(), 'posthorn-config-'))
after(() => rmSync(folder, { recursive: true, force: true }))

let files = 0
/** A configuration file with these lines. */
function fileWith(...lines: string[]): string {
  files++
  const file = join(folder, `${files}.conf`)
  writeFileSync(file, lines.join('\n'))
  return file
}

const goodKey = '00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef'
const count = {
  good: { '1': 1, '999999999': 999_999_999 },
  bad: ['0', '-1', '1.5', '1e3', ' 1', '1000000000'],
}
const rate = {
  good: { '6000/60': { count: 6000, seconds: 60 }, '1/1': { count: 1, seconds: 1 }, off: undefined },
  bad: ['6000', '0/60', '60/0', '6000/60s', '-1/1', 'OFF', '1/1000000'],
}
const countOrOff = { good: { ...count.good, off: undefined }, bad: [...count.bad, 'OFF', 'none'] }
const blocks = {
  good: { '10.0.0.0/8, fd00::/8': ['10.0.0.0/8', 'fd00::/8'], none: [] },
  bad: ['10.0.0.0', 'localhost', '10.0.0.0/8,', '10.0.0.0/40'],
}
const token = {
  good: { ['t'.repeat(32)]: 't'.repeat(32), ['t'.repeat(255)]: 't'.repeat(255) },
  bad: ['t'.repeat(31), 't'.repeat(256), `${'t'.repeat(32)} t`, `${'t'.repeat(32)}é`],
}

/** Texts that each setting accepts, with the values it reads from them, and texts that it refuses. */
const cases: Record<SettingName, SettingCase> = {
  POSTHORN_CONNECT_ALLOW_CIDRS: blocks,
  POSTHORN_FETCH_ALLOW_CIDRS: blocks,
  POSTHORN_WEBHOOK_ALLOW_CIDRS: blocks,
  POSTHORN_NAME_SERVERS: {
    good: {
      '192.0.2.1': ['192.0.2.1'],
      '192.0.2.1:5353, [2001:db8::1]:53,2001:db8::1': ['192.0.2.1:5353', '[2001:db8::1]:53', '2001:db8::1'],
    },
    bad: ['none', 'localhost', '192.0.2.1:65536', '192.0.2.1,', '192.0.2', '[192.0.2.1]x', '2001:db8::1:x'],
  },
  POSTHORN_LISTEN: {
    good: {
      '127.0.0.1:8080': { host: '127.0.0.1', port: 8080 },
      '[::1]:0': { host: '::1', port: 0 },
      'localhost:65535': { host: 'localhost', port: 65535 },
      '8080': { host: '127.0.0.1', port: 8080 },
    },
    bad: [
      '65536',
      ':8080',
      '127.0.0.1',
      '127.0.0.1:65536',
      '127.0.0.1:x',
      '::1:8080',
      'http://127.0.0.1:8080',
    ],
  },
  POSTHORN_BASE_URL: {
    good: {
      'https://example.org': 'https://example.org',
      'https://example.org/gateway//': 'https://example.org/gateway',
      'http://127.0.0.1:8080': 'http://127.0.0.1:8080',
    },
    bad: [
      'example.org',
      'ftp://example.org',
      'https://example.org?a=b',
      'https://example.org#a',
      'https://me:pw@example.org',
    ],
  },
  POSTHORN_ALLOWED_HOSTS: {
    good: {
      '': [],
      'posthorn, gateway.example': ['posthorn', 'gateway.example'],
      'Büro.example': ['Büro.example'],
      '*': ['*'],
    },
    bad: [
      'gateway.example:8080',
      'https://gateway.example',
      'gateway.example/path',
      'a b',
      'a,',
      '*.example.org:1',
    ],
  },
  POSTHORN_DATA: anyText,
  POSTHORN_DATABASE_URL: {
    good: {
      'postgres://user:pw@db/posthorn': 'postgres://user:pw@db/posthorn',
      'postgresql://db/posthorn': 'postgresql://db/posthorn',
    },
    bad: ['mysql://db/posthorn', 'db/posthorn', 'postgres://user:pw@db:port/posthorn'],
  },
  POSTHORN_DEFAULT_NETWORK: anyText,
  POSTHORN_MASTER_KEY: {
    good: { [goodKey]: Buffer.from(goodKey, 'hex'), [goodKey.toUpperCase()]: Buffer.from(goodKey, 'hex') },
    bad: [
      goodKey.slice(1),
      `${goodKey}0`,
      goodKey.replace('0', 'g'),
      '0'.repeat(64),
      'secret',
      'thisIsMySecureToken',
    ],
  },
  POSTHORN_MASTER_KEY_FILE: anyText,
  POSTHORN_OPERATOR_TOKEN: token,
  POSTHORN_METRICS_TOKEN: token,
  POSTHORN_LOG_LEVEL: { good: { silent: 'silent', trace: 'trace' }, bad: ['INFO', 'verbose'] },
  POSTHORN_RATE_LIMIT: rate,
  POSTHORN_QUEUE_LIMIT: countOrOff,
  POSTHORN_UNSETTLED_LIMIT: countOrOff,
  POSTHORN_STORED_LIMIT: {
    good: { '1': 1, '20GB': 21_474_836_480, off: undefined },
    bad: ['0', '1.5GB', 'many'],
  },
  POSTHORN_FILES_LIMIT: {
    good: { '1': 1, '500MB': 524_288_000, '10GB': 10_737_418_240, off: undefined },
    bad: ['0', '1.5GB', '10 GB', '10gb', '-1', '9999TB9', '999999999999999TB', 'many'],
  },
  POSTHORN_VOICE_NOTE_QUEUE: { good: count.good, bad: [...count.bad, 'off'] },
  POSTHORN_INCOMING_LIMIT: countOrOff,
  POSTHORN_NODE_LEASE_MS: { good: { 1800: 1800 }, bad: ['0', '-1', '1.5', 'ten'] },
  POSTHORN_CALLBACK_LIMIT: { good: count.good, bad: [...count.bad, 'off'] },
  POSTHORN_CALLBACK_BYTES: { good: { '64MB': 67_108_864 }, bad: ['0', 'off', '1.5GB'] },
  POSTHORN_CALLBACK_RATE: rate,
  POSTHORN_KEY_LIMIT: { good: count.good, bad: [...count.bad, 'off'] },
  POSTHORN_WEBHOOK_LIMIT: countOrOff,
  POSTHORN_INSTANCE_LIMIT: countOrOff,
  POSTHORN_CONNECT_RATE: rate,
  POSTHORN_CONNECTION_MEMORY_MB: { good: count.good, bad: [...count.bad, 'off'] },
  POSTHORN_ORGANIZATION_MEMORY_MB: { good: count.good, bad: [...count.bad, 'off'] },
  POSTHORN_CONNECTIONS_MEMORY_MB: { good: count.good, bad: [...count.bad, 'off'] },
  POSTHORN_CONNECTION_STANZA_RATE: rate,
  POSTHORN_CONNECTION_BYTE_RATE: rate,
  POSTHORN_ORGANIZATION_INCOMING_RATE: rate,
  POSTHORN_MAX_CONNECTIONS: { good: count.good, bad: [...count.bad, 'off'] },
  POSTHORN_ADDRESS_CONNECTIONS: countOrOff,
  POSTHORN_ADDRESS_RATE: rate,
  POSTHORN_TRUSTED_PROXIES: blocks,
  POSTHORN_READ_CONCURRENCY: count,
  POSTHORN_WAITING_LIMIT: { good: { ...count.good, off: undefined }, bad: count.bad },
  POSTHORN_STREAM_LIMIT: { good: { ...count.good, off: undefined }, bad: count.bad },
  POSTHORN_AUDIT_RETENTION_DAYS: { good: count.good, bad: [...count.bad, 'off'] },
  POSTHORN_EVENT_RETENTION_DAYS: {
    good: { '7': 7, '99999': 99_999 },
    bad: ['6', '0', '-7', '7.5', '100000', 'off'],
  },
  POSTHORN_MEDIA_STORE: {
    good: { '': undefined, files: 'files' },
    bad: ['file', 'S3', 'off'],
  },
  POSTHORN_MESSAGE_RETENTION_DAYS: {
    good: { '30': 30, '90': 90, '99999': 99_999, off: undefined },
    bad: ['0', '-1', '1.5', '100000', 'many', '7'],
  },
  POSTHORN_MEDIA_RETENTION_HOURS: { good: count.good, bad: [...count.bad, 'off'] },
  POSTHORN_S3_ENDPOINT: {
    good: {
      'https://objects.example.org': 'https://objects.example.org',
      'http://127.0.0.1:9000': 'http://127.0.0.1:9000',
    },
    bad: [
      'objects.example.org',
      's3://bucket',
      'https://me:pw@objects.example.org',
      'https://objects.example.org?a=b',
    ],
  },
  POSTHORN_S3_REGION: anyText,
  POSTHORN_S3_BUCKET: anyText,
  POSTHORN_S3_PREFIX: {
    good: { 'posthorn/': 'posthorn/', 'a/b-c.d/': 'a/b-c.d/' },
    bad: ['posthorn', '/', '/posthorn/', 'post horn/', `${'p'.repeat(201)}/`],
  },
  POSTHORN_S3_ACCESS_KEY_ID: anyText,
  POSTHORN_S3_SECRET_ACCESS_KEY: anyText,
  POSTHORN_STOP_SECONDS: { good: { '1': 1, '86400': 86_400 }, bad: ['0', '86401', '999999999', 'off'] },
}

describe('each setting', () => {
  testSettings(cases)

  test('has a default that fits', () => {
    assert.deepEqual(examineConfig({}).faults, [])
    assert.deepEqual(Object.keys(readConfig({})), settingNames)
  })
})

describe('names', () => {
  test('that are no settings are refused, wherever they stand', () => {
    assert.throws(
      () => readConfig({ POSTHORN_LISTN: 'x' }),
      /POSTHORN_LISTN is not a setting; did you mean POSTHORN_LISTEN\?/,
    )
    assert.throws(() => readConfig({ POSTHORN_toString: 'x' }), /is not a setting/)
    const file = fileWith('LISTEN=127.0.0.1:80')
    assert.throws(
      () => readConfig({ POSTHORN_CONFIG: file }),
      /LISTEN in .* is not a setting; did you mean POSTHORN_LISTEN\?/,
    )
    assert.throws(
      () => readConfig({ POSTHORN_PORTS: 'x' }),
      /is not a setting; docs\/configuration\.md lists them all/,
    )
    const looped = fileWith('POSTHORN_CONFIG=other.conf')
    assert.throws(() => readConfig({ POSTHORN_CONFIG: looped }), /POSTHORN_CONFIG in .* is not a setting/)
  })

  test('of other programs, and of the tests, are left alone', () => {
    readConfig({ PATH: '/bin', HTTP_PROXY: 'x', POSTHORN_TEST_REQUIRE: 'prosody' })
  })
})

test('a setting of an earlier version is refused with what replaced it', () => {
  assert.throws(
    () => readConfig({ POSTHORN_LOG_RATE: '1/1' }),
    /^ConfigError: POSTHORN_LOG_RATE was removed: use POSTHORN_LOG_LEVEL; /,
  )
  const file = fileWith('POSTHORN_IDEMPOTENCY_HOURS=24')
  assert.throws(
    () => readConfig({ POSTHORN_CONFIG: file }),
    /POSTHORN_IDEMPOTENCY_HOURS in .* was removed: .* 72 hours/,
  )
})

test('everything that is wrong is told at once', () => {
  assert.throws(
    () => readConfig({ POSTHORN_LISTEN: 'x', POSTHORN_DATABSE_URL: 'x', POSTHORN_QUEUE_LIMIT: '0' }),
    {
      name: 'ConfigError',
      message: [
        '3 settings are wrong:',
        '- POSTHORN_DATABSE_URL is not a setting; did you mean POSTHORN_DATABASE_URL?',
        '- POSTHORN_LISTEN must be an address and a port, such as 127.0.0.1:8080, or a port',
        '- POSTHORN_QUEUE_LIMIT must be a whole number from 1 to 999999999, or off',
      ].join('\n'),
    },
  )
})

test('an examination names every fault, and keeps the values that fit', () => {
  const { config, faults } = examineConfig({
    POSTHORN_LISTEN: 'x',
    POSTHORN_QUEUE_LIMIT: 'x',
    POSTHORN_OTHER: 'x',
  })
  assert.deepEqual(
    faults.map((fault) => fault.split(' ')[0]),
    ['POSTHORN_OTHER', 'POSTHORN_LISTEN', 'POSTHORN_QUEUE_LIMIT'],
  )
  assert.equal(config.POSTHORN_MAX_CONNECTIONS, 10_000)
})

test('what the place for files needs must be set', () => {
  const s3 = { POSTHORN_MEDIA_STORE: 's3', POSTHORN_S3_BUCKET: 'messages' }
  assert.deepEqual(examineConfig(s3).faults, [
    'POSTHORN_S3_ACCESS_KEY_ID must be set if POSTHORN_MEDIA_STORE is s3',
    'POSTHORN_S3_SECRET_ACCESS_KEY must be set if POSTHORN_MEDIA_STORE is s3',
  ])
  const keys = { POSTHORN_S3_ACCESS_KEY_ID: 'id', POSTHORN_S3_SECRET_ACCESS_KEY: 'hush' }
  assert.deepEqual(examineConfig({ ...s3, ...keys }).faults, [])
  assert.deepEqual(examineConfig({ POSTHORN_MEDIA_STORE: 'postgres' }).faults, [
    'POSTHORN_DATABASE_URL must be set if POSTHORN_MEDIA_STORE is postgres',
  ])
  const url = 'postgres://user:pw@db/posthorn'
  assert.deepEqual(examineConfig({ POSTHORN_MEDIA_STORE: 'postgres', POSTHORN_DATABASE_URL: url }).faults, [])
  const wrong = examineConfig({ POSTHORN_MEDIA_STORE: 'postgres', POSTHORN_DATABASE_URL: 'db' }).faults
  assert.equal(wrong.length, 1, 'each mistake is reported once')
})

describe('a secret in a file', () => {
  const secret = (text: string | Buffer): string => {
    files++
    const file = join(folder, `${files}.secret`)
    writeFileSync(file, text)
    return file
  }
  const url = 'postgres://user:pw@db/posthorn'

  test('is read from there, without the space around it', () => {
    for (const [name, value] of [
      ['POSTHORN_DATABASE_URL', url],
      ['POSTHORN_OPERATOR_TOKEN', 'o'.repeat(32)],
      ['POSTHORN_METRICS_TOKEN', 'm'.repeat(32)],
      ['POSTHORN_S3_ACCESS_KEY_ID', 'id'],
      ['POSTHORN_S3_SECRET_ACCESS_KEY', 'hush'],
    ] as const) {
      assert.equal(readConfig({ [`${name}_FILE`]: secret(`${value}\n`) })[name], value)
      const named = fileWith(`${name}_FILE=${secret(value)}`)
      assert.equal(readConfig({ POSTHORN_CONFIG: named })[name], value)
    }
    const app = {
      POSTHORN_WHATSAPP_CLOUD_APP_SECRET_FILE: secret('hush-hush'),
      POSTHORN_WHATSAPP_CLOUD_VERIFY_TOKEN_FILE: secret('word-word'),
    }
    assert.deepEqual(examineConfig(app).faults, [])
  })

  test('goes before the configuration file, which goes before nothing', () => {
    const named = fileWith(`POSTHORN_DATABASE_URL=${url}/other`)
    const config = readConfig({ POSTHORN_CONFIG: named, POSTHORN_DATABASE_URL_FILE: secret(url) })
    assert.equal(config.POSTHORN_DATABASE_URL, url)
  })

  test('is refused, with the reason, if the file does not have one or the setting is there, too', () => {
    const faultOf = (given: Record<string, string>) => examineConfig(given).faults.join()
    const from = (path: string) => faultOf({ POSTHORN_DATABASE_URL_FILE: path })
    const missing = join(folder, 'missing')
    assert.equal(
      from(missing),
      `POSTHORN_DATABASE_URL cannot be read from ${missing}, which POSTHORN_DATABASE_URL_FILE names: there is no such file`,
    )
    assert.match(from(folder), /it is not a file$/)
    assert.match(from(secret(' \n')), /it is empty$/)
    assert.match(from(secret(Buffer.alloc(16 * 1024 + 1, 'a'))), /it has more than 16 KB$/)
    assert.match(from(secret('hush-hush')), /^POSTHORN_DATABASE_URL must(?!.*hush)/)
    assert.equal(
      faultOf({ POSTHORN_DATABASE_URL: url, POSTHORN_DATABASE_URL_FILE: secret(url) }),
      'POSTHORN_DATABASE_URL and POSTHORN_DATABASE_URL_FILE are both set; remove one of them',
    )
    assert.match(faultOf({ POSTHORN_LISTEN_FILE: secret('8080') }), /^POSTHORN_LISTEN_FILE is not a setting/)
  })
})

test('no fault repeats a secret', () => {
  const { faults } = examineConfig({
    POSTHORN_MASTER_KEY: 'hush-hush',
    POSTHORN_METRICS_TOKEN: 'hush-hush',
    POSTHORN_DATABASE_URL: 'pg://me:hush-hush@db',
  })
  assert.equal(faults.length, 3)
  assert.doesNotMatch(faults.join(), /hush/)
})
