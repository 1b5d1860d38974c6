/** The bytes that say what follows in an encoded node; those from 1 to 235 are words of the dictionary. */
export const nodeTag = {
  empty: 0,
  interopJid: 245,
  facebookJid: 246,
  deviceJid: 247,
  list8: 248,
  list16: 249,
  jid: 250,
  packedHex: 251,
  bytes8: 252,
  bytes20: 253,
  bytes32: 254,
  packedDigits: 255,
} as const

/** The characters of packed strings, by the half of a byte that stands for each. */
export const packedDigits = '0123456789-.'
export const packedHex = '0123456789ABCDEF'

/** The servers whose users have devices, and the byte for each in the JID of a device. */
export const deviceServers: ReadonlyMap<string, number> = new Map([
  ['s.whatsapp.net', 0],
  ['lid', 1],
  ['hosted', 128],
  ['hosted.lid', 129],
])

/** The other servers of JIDs. */
export const plainServers: ReadonlySet<string> = new Set([
  'g.us',
  'broadcast',
  'newsletter',
  'call',
  'c.us',
  'bot',
])
