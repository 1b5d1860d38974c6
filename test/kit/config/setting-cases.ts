import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../../src/networks/config.ts'
import { ConfigError } from '../../../src/runtime/config/config.ts'

export interface SettingCase {
  /** Texts, and what is read from each. */
  readonly good: Readonly<Record<string, unknown>>
  /** Texts that are refused. */
  readonly bad: readonly string[]
  /** Other settings that must be set as well. */
  readonly beside?: Readonly<Record<string, string>>
}

export const anyText: SettingCase = { good: { 'some text': 'some text' }, bad: [] }

/** The base URL of an API. */
export const apiUrl: SettingCase = {
  good: {
    'https://api.example.org': 'https://api.example.org',
    'https://api.example.org/': 'https://api.example.org',
    'http://127.0.0.1:8081/api//': 'http://127.0.0.1:8081/api',
    'https://[::1]:8443': 'https://[::1]:8443',
  },
  bad: [
    'api.example.org',
    'ftp://api.example.org',
    'https://',
    'https://me:pw@api.example.org',
    'https://@api.example.org',
    'https://api.example.org?a=b',
    'https://api.example.org/?',
    'https://api.example.org#a',
    'https://api.example.org/#',
    'https://api.example.org ',
    'https:\\\\api.example.org',
    'off',
  ],
}

/** Tests for each of these settings, by name, what it reads from which text, and what it refuses. */
export function testSettings(cases: Readonly<Record<string, SettingCase>>): void {
  for (const [name, { good, bad, beside }] of Object.entries(cases)) {
    test(`${name} reads what fits, and refuses the rest with a sentence that begins with its name`, () => {
      for (const [text, value] of Object.entries(good))
        assert.deepEqual(new Map(Object.entries(readConfig({ ...beside, [name]: text }))).get(name), value)
      for (const text of bad) {
        assert.throws(
          () => readConfig({ ...beside, [name]: text }),
          (error) => error instanceof ConfigError && error.message.startsWith(`${name} `),
          `${name}=${text} must be refused`,
        )
      }
    })
  }
}
