import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Fetching, failureOf, publicName, withoutDialling } from '../../../test/kit/far-ends/fetching.ts'

/*
 * URLs of places to keep out of, with their addresses in every known form. All are https on the usual port and the operator
 * lists nothing, so that only the address can be the reason for a refusal.
 */
const places: Readonly<Record<string, string>> = {
  'this machine, plainly': `
    https://127.0.0.1/ https://127.0.0.1:443/ https://127.0.0.0/ https://127.0.0.2/ https://127.1.1.1/ https://127.127.127.127/
    https://127.255.255.254/ https://127.255.255.255/ https://0.0.0.0/ https://0.0.0.1/ https://0.255.255.255/ https://[::1]/
    https://[::1]:443/ https://[::]/ https://[0:0:0:0:0:0:0:1]/ https://[0:0:0:0:0:0:0:0]/ https://[0000::0001]/`,
  'IPv4 with parts left out': `
    https://127.1/ https://127.0.1/ https://127.257/ https://127.65535/ https://127.0.65535/ https://0/ https://0.0/ https://0.0.0/
    https://1/ https://255/ https://10.1/ https://10.1.1/ https://10.65536/ https://169.254.43518/ https://192.168.257/
    https://192.11010305/ https://172.1048577/ https://192.168.1/`,
  'IPv4 as one number': `
    https://2130706433/ https://2130706434/ https://2147483647/ https://167772161/ https://184549375/ https://2886729729/
    https://3232235521/ https://3232235777/ https://2852039166/ https://1681915904/ https://1684301000/ https://2822734096/
    https://3221225664/ https://4294967295/ https://3758096385/`,
  'IPv4 in hexadecimal': `
    https://0x7f000001/ https://0X7F000001/ https://0x7f.1/ https://0x7f.0x0.0x0.0x1/ https://0x7F.0X0.0X0.0X1/ https://0x7f.0.0.1/
    https://127.0.0.0x1/ https://127.0x1/ https://0x0a000001/ https://0xa.0x0.0x0.0x1/ https://0xa9fea9fe/ https://0xa9.0xfe.0xa9.0xfe/
    https://0xA9.254.0xA9.254/ https://0xc0a80001/ https://0xc0.0xa8.1/ https://0xac100001/ https://0xffffffff/ https://0x0/ https://0x/
    https://0x000000000000007f000001/ https://0xa83f8110/`,
  'IPv4 in octal': `
    https://0177.0.0.1/ https://0177.0.0.01/ https://00177.00.00.01/ https://0177.0000000.000.0001/ https://017700000001/
    https://0000017700000001/ https://0177.1/ https://012.0.0.1/ https://012.1.2.3/ https://0251.0376.0251.0376/ https://025177524776/
    https://0300.0250.0.1/ https://030052000001/ https://0254.020.0.1/ https://0377.0377.0377.0377/ https://037777777777/ https://00/`,
  'IPv4 in several bases at once': `
    https://0x7f.0.0.01/ https://0177.0x0.0.1/ https://127.0x0.00.1/ https://0xa9.0376.43518/ https://0251.254.0xa9fe/
    https://169.0xfe.0251.0376/ https://0xc0.0250.1/ https://0300.168.0x0.01/ https://0x0a.1/ https://012.0x1.1/ https://0x7f.0x000001/`,
  'IPv4 with a dot at the end': `
    https://127.0.0.1./ https://127.1./ https://2130706433./ https://0x7f000001./ https://017700000001./ https://10.0.0.1./
    https://169.254.169.254./ https://192.168.0.1./ https://172.16.0.1./ https://0./ https://127.0.0.1../ https://127.0.0.1.:443/`,
  'IPv4 in digits and dots of other scripts': `
    https://①②⑦.⓪.⓪.①/ https://１２７.０.０.１/ https://127。0。0。1/ https://127．0．0．1/ https://127｡0｡0｡1/ https://𝟏𝟐𝟕.𝟎.𝟎.𝟏/ https://𝟙𝟚𝟟.𝟘.𝟘.𝟙/
    https://𝟣𝟤𝟩.𝟢.𝟢.𝟣/ https://𝟭𝟮𝟳.𝟬.𝟬.𝟭/ https://𝟷𝟸𝟽.𝟶.𝟶.𝟷/ https://¹²⁷.⁰.⁰.¹/ https://₁₂₇.₀.₀.₁/ https://①⑥⑨.②⑤④.①⑥⑨.②⑤④/ https://１６９｡２５４｡１６９｡２５４/
    https://０ｘ７ｆ.1/ https://①②⑦.1/ https://２１３０７０６４３３/ https://1２7.0.0.1/ https://10。０。0．①/ https://127%E3%80%820%E3%80%820%E3%80%821/`,
  'IPv4 with escapes': `
    https://%31%32%37.0.0.1/ https://127%2E0%2E0%2E1/ https://127%2e1/ https://%31%32%37%2e%30%2e%30%2e%31/ https://%30%78%37%66.1/
    https://169%2e254%2e169%2e254/ https://%31%36%39.254.169.254/ https://1%30.0.0.1/ https://%30/ https://%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1/
    https://1%C2%AD27.0.0.1/`,
  'private networks': `
    https://10.0.0.0/ https://10.0.0.1/ https://10.255.255.255/ https://172.16.0.0/ https://172.16.0.1/ https://172.20.10.1/
    https://172.31.255.255/ https://192.168.0.0/ https://192.168.0.1/ https://192.168.1.254/ https://192.168.255.255/ https://100.64.0.0/
    https://100.64.0.1/ https://100.127.255.255/ https://[fc00::]/ https://[fc00::1]/ https://[fd00::1]/ https://[fd12:3456:789a:1::1]/
    https://[fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]/ https://[fec0::1]/ https://[feff::1]/ https://[fe80::]/ https://[fe80::1]/
    https://[febf:ffff::1]/`,
  'what clouds serve their machines with': `
    https://169.254.169.254/latest/meta-data/ https://169.254.169.254/computeMetadata/v1/ https://169.254.169.253/ https://169.254.169.123/
    https://169.254.170.2/v2/credentials https://169.254.170.23/v1/credentials https://169.254.0.23/ https://169.254.42.42/
    https://100.100.100.200/latest/meta-data/ https://192.0.0.192/opc/v2/instance/ https://168.63.129.16/machine?comp=goalstate
    https://[fd00:ec2::254]/latest/meta-data/ https://[fd00:ec2::23]/ https://[fd00:ec2::253]/ https://[fd20:ce::254]/
    https://[::ffff:169.254.169.254]/ https://[::ffff:a9fe:a9fe]/ https://[fe80::a9fe:a9fe]/ https://169.254.1.1/ https://169.254.255.255/`,
  'IPv4 inside of IPv6: mapped': `
    https://[::ffff:127.0.0.1]/ https://[::ffff:7f00:1]/ https://[::FFFF:7F00:1]/ https://[0:0:0:0:0:ffff:127.0.0.1]/ https://[0:0:0:0:0:ffff:7f00:1]/
    https://[0000:0000:0000:0000:0000:ffff:7f00:0001]/ https://[::ffff:10.0.0.1]/ https://[::ffff:a00:1]/ https://[::ffff:c0a8:1]/
    https://[::ffff:172.16.0.1]/ https://[::ffff:0.0.0.0]/ https://[::ffff:0:0]/ https://[::ffff:100.64.0.1]/ https://[::ffff:8.8.8.8]/
    https://[::ffff:808:808]/`,
  'IPv4 inside of IPv6: compatible and translated': `
    https://[::127.0.0.1]/ https://[::7f00:1]/ https://[::10.0.0.1]/ https://[::a9fe:a9fe]/ https://[::8.8.8.8]/ https://[::2]/ https://[::ffff]/
    https://[::ffff:0:127.0.0.1]/ https://[::ffff:0:7f00:1]/ https://[::ffff:0:a9fe:a9fe]/ https://[64:ff9b::127.0.0.1]/ https://[64:ff9b::7f00:1]/
    https://[64:ff9b::a9fe:a9fe]/ https://[64:ff9b::8.8.8.8]/ https://[64:ff9b:1::7f00:1]/ https://[64:ff9b:1:ffff::a00:1]/ https://[64:ff9b:1::]/
    https://[64:ff9b:2::1]/ https://[64:ff9a::1]/`,
  'IPv4 inside of IPv6: tunnels': `
    https://[2002:7f00:1::]/ https://[2002:7f00:1::1]/ https://[2002:a00:1::]/ https://[2002:a9fe:a9fe::]/ https://[2002:c0a8:101::1]/ https://[2002:808:808::1]/
    https://[2001::7f00:1]/ https://[2001:0:4136:e378:8000:63bf:80ff:fffe]/ https://[2001:0:7f00:1::]/ https://[2001:0:a00:1::80ff:fffe]/
    https://[fe80::5efe:127.0.0.1]/ https://[fe80::5efe:7f00:1]/ https://[fe80::200:5efe:a00:1]/ https://[fd00::5efe:10.0.0.1]/ https://[2002:a00:1::5efe:a00:1]/`,
  'IPv6 that was never handed out, or not to anybody': `
    https://[1::1]/ https://[100::]/ https://[100::1]/ https://[100:0:0:1::1]/ https://[200::1]/ https://[400::1]/ https://[1000::1]/ https://[1fff:ffff::1]/
    https://[4000::1]/ https://[5f00::1]/ https://[6000::1]/ https://[8000::1]/ https://[a000::1]/ https://[c000::1]/ https://[e000::1]/ https://[f000::1]/
    https://[fe00::1]/ https://[2001:1::1]/ https://[2001:2::1]/ https://[2001:3::1]/ https://[2001:4:112::1]/ https://[2001:5::1]/ https://[2001:10::1]/
    https://[2001:20::1]/ https://[2001:30::1]/ https://[2001:1ff:ffff::1]/ https://[2001:db8::1]/ https://[2001:db8:ffff::1]/ https://[3fff::1]/
    https://[3fff:fff::1]/ https://[2620:4f:8000::1]/`,
  'multicast, broadcast and IPv4 with a purpose': `
    https://224.0.0.0/ https://224.0.0.1/ https://224.0.0.251/ https://239.255.255.250/ https://239.255.255.255/ https://240.0.0.0/ https://240.0.0.1/
    https://255.255.255.254/ https://255.255.255.255/ https://192.0.0.0/ https://192.0.0.8/ https://192.0.0.9/ https://192.0.0.10/ https://192.0.0.170/
    https://192.0.0.171/ https://192.0.2.1/ https://192.31.196.1/ https://192.52.193.1/ https://192.88.99.1/ https://192.88.99.2/ https://192.175.48.1/
    https://198.18.0.1/ https://198.19.255.255/ https://198.51.100.1/ https://203.0.113.1/ https://[ff00::]/ https://[ff01::1]/ https://[ff02::1]/
    https://[ff02::fb]/ https://[ff05::2]/ https://[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]/`,
  'addresses with a zone': `
    https://[fe80::1%25eth0]/ https://[fe80::1%eth0]/ https://[::1%25lo]/ https://[::1%lo]/ https://[::1%1]/ https://[::1%251]/ https://[2606:4700::1111%25eth0]/
    https://[fe80::1%25]/ https://[fe80::1%]/ https://[::ffff:127.0.0.1%25lo]/`,
}

/** The forms that a URL can give an address of IPv4, to people who look at texts. */
function formsOf(address: string): string[] {
  const bytes = address.split('.').map(Number)
  const [a = 0, b = 0, c = 0, d = 0] = bytes
  const number = bytes.reduce((sum, byte) => sum * 256 + byte, 0)
  const groups = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
  const flipped = `${(((a << 8) | b) ^ 0xffff).toString(16)}:${(((c << 8) | d) ^ 0xffff).toString(16)}`
  const ipv4 = [
    ...[address, `${address}.`, `${number}`, `0x${number.toString(16)}`, `0${number.toString(8)}`],
    ...[`${a}.${b}.${c * 256 + d}`, `${a}.${(b * 256 + c) * 256 + d}`],
    ...[
      bytes.map((byte) => `0x${byte.toString(16)}`).join('.'),
      bytes.map((byte) => `0${byte.toString(8)}`).join('.'),
    ],
    address.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    address.replaceAll('.', '。'),
    address.replaceAll(/./g, (character) => `%${character.charCodeAt(0).toString(16)}`),
  ]
  const ipv6 = [
    ...[`::ffff:${address}`, `::ffff:${groups}`, `::${groups}`, `::ffff:0:${groups}`, `64:ff9b::${groups}`],
    ...[`64:ff9b:1::${groups}`, `2002:${groups}::`, `2001:0:${groups}::${flipped}`, `fe80::5efe:${groups}`],
  ]
  return [...ipv4, ...ipv6.map((host) => `[${host}]`)].map((host) => `https://${host}/`)
}

describe('a URL is refused, and nothing is dialled, for', () => {
  for (const [what, text] of Object.entries(places)) {
    test(what, async (t) => {
      const fetching = await Fetching.start(t, publicName, { allowedBlocks: [] })
      await withoutDialling(async () => {
        for (const url of text.trim().split(/\s+/)) {
          const failure = await failureOf(fetching.get(url))
          assert.deepEqual([failure.reason, failure.permanent], ['refused', true], url)
        }
      })
      assert.deepEqual(fetching.names.asked, [], 'what is an address is not looked up')
    })
  }

  test('each special block of IPv4 in each of its forms', async (t) => {
    const fetching = await Fetching.start(t, publicName, { allowedBlocks: [] })
    const inEachBlock =
      '0.1.2.3 10.9.8.7 100.64.3.2 127.0.0.1 169.254.169.254 172.16.5.4 192.0.0.1 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 ' +
      '192.168.1.1 192.175.48.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255 168.63.129.16'
    await withoutDialling(async () => {
      for (const url of inEachBlock.split(' ').flatMap(formsOf)) {
        assert.equal((await failureOf(fetching.get(url))).reason, 'refused', url)
      }
    })
    assert.deepEqual(fetching.names.asked, [])
  })
})
