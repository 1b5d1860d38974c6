import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Fetching, failureOf, publicName, withoutDialling } from '../../../test/kit/far-ends/fetching.ts'
import { readDestination } from '../guard/destination.ts'

/** URLs that are never fetched, even if the operator lists their addresses. */
const never: Readonly<Record<string, readonly string[]>> = {
  'texts that are no URL': [
    '',
    ' ',
    '/',
    '//example.org/',
    'example.org',
    'example.org/a.png',
    'www.example.org:443/a.png',
    'https',
    'https:',
    'https://',
    'https:///',
    'https://?',
    'https://#',
    'https://:443/',
    'https://[/',
    'https://[]/',
    'https://[::1/',
    'https://[::1]x/',
    'https://[::g]/',
    'https://[1:2:3]/',
    'https://[::1::]/',
    'https://[127.0.0.1]/',
    'https://::1/',
    'https://example.org:65536/',
    'https://example.org:-1/',
    'https://example.org:443x/',
    'https://example.org:4 43/',
    'null',
    'undefined',
  ],
  'other schemes': [
    'file:///etc/passwd',
    'file://localhost/etc/passwd',
    'file://127.0.0.1/share/a',
    'FILE:///etc/passwd',
    'ftp://example.org/a',
    'ftps://example.org/a',
    'sftp://example.org/a',
    'tftp://example.org/a',
    'gopher://127.0.0.1:6379/_FLUSHALL',
    'dict://127.0.0.1:11211/stats',
    'ldap://127.0.0.1/',
    'smb://127.0.0.1/share',
    'data:image/png;base64,AAAA',
    'data:,hello',
    'blob:https://example.org/7f000001',
    'javascript:alert(1)',
    'about:blank',
    'ws://example.org/',
    'wss://example.org/',
    'jar:https://example.org/a.jar!/b',
    'view-source:https://example.org/',
    'netdoc:///etc/passwd',
    'php://filter/resource=/etc/passwd',
    'unix:///run/docker.sock',
    'http+unix://%2Frun%2Fdocker.sock/info',
    'mailto:ana@example.org',
    'urn:isbn:0451450523',
    'xhttps://example.org/',
    'https+x://example.org/',
  ],
  'a user or a password': [
    'https://user@example.org/',
    'https://user:password@example.org/',
    'https://:password@example.org/',
    'https://example.org@127.0.0.1/',
    'https://example.org:443@127.0.0.1/',
    'https://127.0.0.1@example.org/',
    'https://127.0.0.1:80@example.org/',
    'https://127.0.0.1%2F@example.org/',
    'https://127.0.0.1%23@example.org/',
    'https://user@[::1]/',
    'https://a@b@127.0.0.1/',
    'https://example.org%00@127.0.0.1/',
    'https://example.org\t@127.0.0.1/',
    'https:example.org@127.0.0.1/',
  ],
  'a host that no name server knows': [
    'https://exa mple.org/',
    'https://example.org%00.evil.test/',
    'https://example.org%0d%0a.evil.test/',
    'https://example.org%2f.evil.test/',
    'https://example.org%5c.evil.test/',
    'https://exa%20mple.org/',
    'https://ex<ample.org/',
    'https://ex^ample.org/',
    'https://ex|ample.org/',
    'https://ex%ample.org/',
    "https://exa'mple.org/",
    'https://exa*mple.org/',
    'https://exa,mple.org/',
    'https://exa!mple.org/',
    'https://exa$mple.org/',
    'https://(example).org/',
    'https://a;b.example.org/',
    'https://example..org/',
    'https://.example.org/',
    'https://example.org../',
    'https://./',
    'https://../',
    'https://%2e/',
    'https://1.2.3.4.5/',
    'https://256.1.1.1/',
    'https://127.0.0.256/',
    'https://0x7f.0.0.0x100/',
    'https://08.8.8.8/',
    'https://4294967296/',
    'https://0x100000000/',
    'https://example.127/',
    `https://${'a'.repeat(64)}.example.org/`,
    `https://${'a.'.repeat(127)}example.org/`,
  ],
  'too long a text': [
    `https://example.org/${'a'.repeat(2_029)}`,
    `https://example.org/?${'a'.repeat(65_536)}`,
    `https://example.org/#${'a'.repeat(65_536)}`,
    `https://${'a'.repeat(65_536)}.example.org/`,
    `https://${'a'.repeat(65_536)}@example.org/`,
    `https://example.org:${'0'.repeat(65_536)}443/`,
    `https://example.org/${'ä'.repeat(400)}`,
    `${' '.repeat(65_536)}https://example.org/`,
  ],
}

/** URLs that are allowed only if the operator lists every address that they lead to; these are public. */
const inside: Readonly<Record<string, readonly string[]>> = {
  'plain http': [
    'http://example.org/',
    'HTTP://example.org/',
    'http:example.org/',
    'http://example.org:443/',
    'http://9.9.9.9/',
    'http://[2620:fe::fe]/',
    'ht\ntp://example.org/',
  ],
  'other ports': [
    'https://example.org:80/',
    'https://example.org:22/',
    'https://example.org:0/',
    'https://example.org:8443/',
    'https://example.org:6379/',
    'https://example.org:65535/',
    'https://example.org:00444/',
    'https://9.9.9.9:53/',
    'https://[2620:fe::fe]:853/',
  ],
  'names that lead inside': [
    'https://localhost/',
    'https://LOCALHOST/',
    'https://localhost./',
    'https://ｌｏｃａｌｈｏｓｔ/',
    'https://loc%61lhost/',
    'https://lo\u00adcalhost/',
    'https://www.localhost/',
    'https://localhost.localdomain/',
    'https://printer.local/',
    'https://printer.local./',
    'https://printer。local/',
    'https://db.internal/',
    'https://metadata.google.internal/computeMetadata/v1/',
    'https://METADATA.GOOGLE.INTERNAL./',
    'https://metadata.goog/',
    'https://metadata/',
    'https://instance-data/latest/meta-data/',
    'https://instance-data.ec2.internal/',
    'https://ip-10-0-0-1.eu-west-1.compute.internal/',
    'https://kubernetes/',
    'https://kubernetes.default.svc/',
    'https://kubernetes.default.svc.cluster.local/',
    'https://host.docker.internal/',
    'https://gateway.docker.internal/',
    'https://router.lan/',
    'https://nas.home/',
    'https://nas.home.arpa/',
    'https://wiki.corp/',
    'https://wiki.intranet/',
    'https://wiki.private/',
    'https://db/',
    'https://posthorn/',
    'https://a_b/',
  ],
}

/** URLs that look like something else, and where they really lead. */
const elsewhere: readonly (readonly [url: string, host: string, path: string])[] = [
  ['https://example.org', 'example.org', '/'],
  ['HTTPS://EXAMPLE.ORG:443/A', 'example.org', '/A'],
  ['https://example.org./a', 'example.org', '/a'],
  ['https://example.org/a#@127.0.0.1/', 'example.org', '/a'],
  ['https://example.org#@127.0.0.1/', 'example.org', '/'],
  ['https://example.org?@127.0.0.1/', 'example.org', '/?@127.0.0.1/'],
  ['https://example.org/@127.0.0.1/', 'example.org', '/@127.0.0.1/'],
  ['https://example.org\\@127.0.0.1/', 'example.org', '/@127.0.0.1/'],
  ['https:\\\\example.org\\a', 'example.org', '/a'],
  ['https:/example.org/a', 'example.org', '/a'],
  ['https:example.org/a', 'example.org', '/a'],
  ['https:///example.org/a', 'example.org', '/a'],
  ['https:////example.org/a', 'example.org', '/a'],
  ['  https://example.org/a\n', 'example.org', '/a'],
  ['\u0000https://example.org/a', 'example.org', '/a'],
  ['ht\ttps://exa\nmple.o\rrg/a', 'example.org', '/a'],
  ['https://example.org/a\r\nHost: 127.0.0.1', 'example.org', '/aHost:%20127.0.0.1'],
  ['https://example.org/%0d%0aHost:%20127.0.0.1', 'example.org', '/%0d%0aHost:%20127.0.0.1'],
  ['https://example.org/a b"<>`{}', 'example.org', '/a%20b%22%3C%3E%60%7B%7D'],
  ['https://example.org/../../etc/passwd', 'example.org', '/etc/passwd'],
  ['https://example.org/%2e%2e/a', 'example.org', '/a'],
  ['https://example.org//127.0.0.1/', 'example.org', '//127.0.0.1/'],
  ['https://example.org:0443/', 'example.org', '/'],
  ['https://ｅｘａｍｐｌｅ．ｏｒｇ/', 'example.org', '/'],
  ['https://ex%61mple.org/', 'example.org', '/'],
  ['https://bücher.example.org/', 'xn--bcher-kva.example.org', '/'],
  ['https://еxample.org/', 'xn--xample-2of.org', '/'],
  ['https://127.0.0.1.example.org/', '127.0.0.1.example.org', '/'],
  ['https://localhost.example.org/', 'localhost.example.org', '/'],
  ['https://internal.example.org/', 'internal.example.org', '/'],
  ['https://a_b.example.org/', 'a_b.example.org', '/'],
  ['https://9.9.9.9/', '9.9.9.9', '/'],
  ['https://0x09.0x9.2313/', '9.9.9.9', '/'],
  ['https://[2620:FE:0::FE]/', '2620:fe::fe', '/'],
]

describe('a URL is refused, and nothing is looked up or dialled, for', () => {
  for (const [what, urls] of Object.entries(never)) {
    test(what, async (t) => {
      const fetching = await Fetching.start(t, publicName, { allowedBlocks: ['0.0.0.0/0', '::/0'] })
      await withoutDialling(async () => {
        for (const url of urls) {
          const failure = await failureOf(fetching.get(url))
          assert.deepEqual([failure.reason, failure.permanent], ['refused', true], url)
        }
      })
      assert.deepEqual(fetching.names.asked, [])
    })
  }
})

describe('a URL of a public place is refused, and nothing is dialled, for', () => {
  for (const [what, urls] of Object.entries(inside)) {
    test(what, async (t) => {
      const fetching = await Fetching.start(t, publicName, { allowedBlocks: ['10.0.0.0/8'] })
      await withoutDialling(async () => {
        for (const url of urls) {
          const failure = await failureOf(fetching.get(url))
          assert.deepEqual([failure.reason, failure.permanent], ['refused', true], url)
        }
      })
    })
  }
})

test('a URL leads where it really leads, and not where it looks as if', () => {
  for (const [text, host, path] of elsewhere) {
    const read = readDestination(text)
    assert.deepEqual([read.host, `${read.url.pathname}${read.url.search}`], [host, path], text)
    assert.equal(read.needsListing, false, text)
  }
})

test('the longest URL is 2,048 characters long', () => {
  assert.equal(readDestination(`https://example.org/${'a'.repeat(2_028)}`).host, 'example.org')
})
