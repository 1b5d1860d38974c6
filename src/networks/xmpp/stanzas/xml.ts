import xml, { type Element } from '@xmpp/xml'

/** The XML namespaces that this driver speaks, by what they are for. */
export const ns = {
  client: 'jabber:client',
  streams: 'http://etherx.jabber.org/streams',
  streamErrors: 'urn:ietf:params:xml:ns:xmpp-streams',
  stanzaErrors: 'urn:ietf:params:xml:ns:xmpp-stanzas',
  tls: 'urn:ietf:params:xml:ns:xmpp-tls',
  sasl: 'urn:ietf:params:xml:ns:xmpp-sasl',
  bind: 'urn:ietf:params:xml:ns:xmpp-bind',
  /** XEP-0030, Service Discovery. */
  discoInfo: 'http://jabber.org/protocol/disco#info',
  discoItems: 'http://jabber.org/protocol/disco#items',
  /** XEP-0004, Data Forms. */
  dataForms: 'jabber:x:data',
  /** XEP-0066, Out of Band Data. */
  outOfBand: 'jabber:x:oob',
  /** XEP-0077, In-Band Registration. */
  register: 'jabber:iq:register',
  /** XEP-0184, Message Delivery Receipts. */
  receipts: 'urn:xmpp:receipts',
  /** XEP-0198, Stream Management. */
  management: 'urn:xmpp:sm:3',
  /** XEP-0059, Result Set Management. */
  resultSets: 'http://jabber.org/protocol/rsm',
  /** XEP-0203, Delayed Delivery. */
  delay: 'urn:xmpp:delay',
  /** XEP-0280, Message Carbons. */
  copies: 'urn:xmpp:carbons:2',
  /** XEP-0297, Stanza Forwarding. */
  forward: 'urn:xmpp:forward:0',
  /** XEP-0313, Message Archive Management. */
  archive: 'urn:xmpp:mam:2',
  /** XEP-0199, XMPP Ping. */
  ping: 'urn:xmpp:ping',
  /** XEP-0333, Chat Markers. */
  markers: 'urn:xmpp:chat-markers:0',
  /** XEP-0359, Unique and Stable Stanza IDs. */
  stanzaIds: 'urn:xmpp:sid:0',
  /** XEP-0363, HTTP File Upload. */
  upload: 'urn:xmpp:http:upload:0',
  /** XEP-0308, Last Message Correction. */
  correction: 'urn:xmpp:message-correct:0',
  /** XEP-0461, Message Replies. */
  reply: 'urn:xmpp:reply:0',
  /** XEP-0444, Message Reactions. */
  reactions: 'urn:xmpp:reactions:0',
  /** XEP-0424, Message Retraction. */
  retraction: 'urn:xmpp:message-retract:1',
  /** XEP-0428, Fallback Indication. */
  fallback: 'urn:xmpp:fallback:0',
  /** XEP-0334, Message Processing Hints. */
  hints: 'urn:xmpp:hints',
  /** XEP-0080, User Location. */
  place: 'http://jabber.org/protocol/geoloc',
  /** XEP-0172, User Nickname. */
  nick: 'http://jabber.org/protocol/nick',
  /** XEP-0372, References. */
  references: 'urn:xmpp:reference:0',
  /** XEP-0449, Stickers. */
  stickers: 'urn:xmpp:stickers:0',
  /** XEP-0045, Multi-User Chat: what a room says of people in it. */
  rooms: 'http://jabber.org/protocol/muc#user',
  roomEntry: 'http://jabber.org/protocol/muc',
  roomAdmin: 'http://jabber.org/protocol/muc#admin',
  roomOwner: 'http://jabber.org/protocol/muc#owner',
  /** XEP-0249, Direct MUC Invitations. */
  invitation: 'jabber:x:conference',
  /** XEP-0402, PEP Native Bookmarks. */
  bookmarks: 'urn:xmpp:bookmarks:1',
  /** XEP-0085, Chat State Notifications. */
  chatStates: 'http://jabber.org/protocol/chatstates',
  /** XEP-0115, Entity Capabilities. */
  capabilities: 'http://jabber.org/protocol/caps',
  /** XEP-0060, Publish-Subscribe, and the events that it sends. */
  nodes: 'http://jabber.org/protocol/pubsub',
  publishing: 'http://jabber.org/protocol/pubsub#publish',
  publishOptions: 'http://jabber.org/protocol/pubsub#publish-options',
  nodeEvents: 'http://jabber.org/protocol/pubsub#event',
  /** XEP-0084, User Avatar. */
  pictureInfo: 'urn:xmpp:avatar:metadata',
  pictureData: 'urn:xmpp:avatar:data',
  /** XEP-0054, vcard-temp, with the pictures of XEP-0153. */
  card: 'vcard-temp',
  /** XEP-0490, Message Displayed Synchronization. */
  displayed: 'urn:xmpp:mds:displayed:0',
} as const

export type Xml = Element

/** Builds one element. Attributes that are undefined are left out. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | undefined>> = {},
  ...children: (Element | string)[]
): Element {
  return xml(name, { ...attributes }, ...children)
}

/** An attribute's value, or undefined: the library's own type for it is `any`. */
export function attribute(from: Element, name: string): string | undefined {
  const value: unknown = from.attrs[name]
  return typeof value === 'string' ? value : undefined
}

/** Returns what a table has for a name that another party wrote, which may be one that every object has, such as `constructor`. */
export function ownEntryOf<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

/**
 * Returns the name of the first child in this namespace: RFC 6120 writes every error condition like that. A name of another
 * form is taken for none: it comes from a server that is not to be trusted, and is kept and shown.
 */
export function conditionIn(parent: Element | undefined, namespace: string): string | undefined {
  const found = parent
    ?.getChildElements()
    .find((child) => child.getNS() === namespace && child.name !== 'text')
  const name = found?.getName()
  return name && /^[a-z][a-z-]{0,63}$/.test(name) ? name : undefined
}

/**
 * Returns true for the elements that XEP-0198 counts: messages, presence and iq, and nothing else that travels on a stream.
 */
export function isStanza(candidate: Element): boolean {
  return candidate.name === 'message' || candidate.name === 'presence' || candidate.name === 'iq'
}

/**
 * Returns true if XML 1.0 (section 2.2) can represent this text. It cannot represent most control characters and lone
 * surrogates, escaped or not, and one of them would end the stream for every message in flight.
 */
export function isRepresentable(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  return text.isWellFormed() && !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(text)
}
