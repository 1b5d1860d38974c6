/** A body with something else in it. */
export type Mutation = (genuine: Buffer, random: () => number) => Buffer

/** The same bytes with something else: a bit, a byte, a piece cut out or put in. Never the same. */
export const mutatedBytes: Mutation = (genuine, random) => {
  const at = Math.floor(random() * genuine.length)
  const rest = genuine.subarray(at + Math.floor(random() * (genuine.length - at)))
  const noise = Buffer.from(Array.from({ length: Math.floor(random() * 40) }, () => random() * 256))
  const kinds = [
    () => Buffer.concat([genuine.subarray(0, at), noise, genuine.subarray(at)]),
    () => Buffer.concat([genuine.subarray(0, at), rest]),
    () => genuine.map((byte, index) => (index === at ? byte ^ (1 << Math.floor(random() * 8)) : byte)),
    () => Buffer.concat([genuine, genuine]),
    () => noise,
  ]
  const changed = Buffer.from(kinds[Math.floor(random() * kinds.length)]?.() ?? '')
  return changed.equals(genuine) ? Buffer.concat([genuine, Buffer.from(' ')]) : changed
}

/** Values that no reader expects. */
const strange: readonly unknown[] = [
  null,
  true,
  -1,
  0.5,
  1e308,
  2 ** 53,
  '',
  '\0',
  '\ud800',
  '\u202e\ufeff',
  'x'.repeat(20_000),
  '🙂'.repeat(3_000),
  '__proto__',
  '../../../etc/passwd',
  'http://127.0.0.1:1/',
  '9'.repeat(40),
  [],
  {},
  [[[[[[]]]]]],
  [null, 1, 'x', {}],
  { toString: null, constructor: {}, ['__proto__']: { polluted: true } },
  Array.from({ length: 300 }, () => ({})),
]

/** The same JSON in which one to three values are strange, missing, twice, or where another one was. */
export const mutatedValues: Mutation = (genuine, random) => {
  const json: unknown = JSON.parse(genuine.toString())
  for (let count = Math.floor(random() * 3); count >= 0; count--) change(json, random)
  return Buffer.from(JSON.stringify(json))
}

type Place = readonly [holder: Record<string, unknown>, key: string]

function change(json: unknown, random: () => number): void {
  const places = placesIn(json)
  const one = <T>(of: readonly T[]) => of[Math.floor(random() * of.length)]
  const place = one(places)
  const other = one(places)
  if (!place || !other) return
  const [holder, key] = place
  const set = (at: string, value: unknown) => {
    holder[at] = structuredClone(value)
  }
  const kinds = [
    () => set(key, one(strange)),
    () => void delete holder[key],
    () => set(`${key}x`, holder[key]),
    () => set(key, other[0][other[1]]),
    () => void (Array.isArray(holder) && holder.push(structuredClone(holder[Number(key)]))),
  ]
  one(kinds)?.()
}

function placesIn(json: unknown): Place[] {
  if (typeof json !== 'object' || json === null) return []
  const holder = json as Record<string, unknown>
  return Object.keys(holder).flatMap((key) => [[holder, key] as const, ...placesIn(holder[key])])
}
