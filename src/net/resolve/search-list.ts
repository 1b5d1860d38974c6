/** The completion of a name that may not be whole (resolv.conf(5)). */
export interface SearchList {
  readonly domains: readonly string[]
  /** A name with so many dots is asked for as it is first; another one with each domain first. */
  readonly ndots: number
}

/**
 * Search domains that are tried: each costs queries, and the author of a host name must not cause an unlimited number of
 * them.
 */
const maxDomains = 32

/** The largest `ndots` that the system's own resolver knows. */
const maxDots = 15

/**
 * Reads `search`, `domain` and `options ndots:`. The last `search` or `domain` counts; if there is none, the domain of this
 * machine's own name does. Which name servers there are is not read here.
 */
export function readSearchList(text: string, machine: string): SearchList {
  let ndots = 1
  let domains = machine.includes('.') ? [machine.slice(machine.indexOf('.') + 1)] : []
  for (const line of text.split('\n')) {
    const [word = '', ...values] = line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/)
    if (word === 'search') domains = values
    else if (word === 'domain') domains = values.slice(0, 1)
    else if (word === 'options') ndots = values.map(dotsIn).findLast((dots) => dots !== undefined) ?? ndots
  }
  const known = domains.map((domain) => domain.toLowerCase().replace(/\.$/, '')).filter(Boolean)
  return { domains: known.slice(0, maxDomains), ndots }
}

function dotsIn(option: string): number | undefined {
  const [, dots] = /^ndots:(\d{1,4})$/.exec(option) ?? []
  return dots === undefined ? undefined : Math.min(maxDots, Number(dots))
}

/** Returns the names to ask name servers for, in this order, until one of them exists. `name` has no dot at its end. */
export function namesToTry(name: string, { domains, ndots }: SearchList): readonly string[] {
  const completed = domains.map((domain) => `${name}.${domain}`)
  const dots = name.split('.').length - 1
  const all = dots >= ndots ? [name, ...completed] : [...completed, name]
  return all.filter((each) => each.length <= maxNameLength)
}

/** The longest name there is (RFC 1035 section 2.3.4), written with dots. */
export const maxNameLength = 253
