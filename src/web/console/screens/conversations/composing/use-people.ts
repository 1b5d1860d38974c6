import { useMemo, useRef } from 'preact/hooks'
import { useCall } from '../../../core/hooks/use-call.ts'
import type { Network } from '../../../core/operations.ts'
import type { Mentionable } from './mentions.ts'

interface Place {
  readonly instance: string
  readonly address: string
  readonly network: Network | undefined
  readonly isGroup: boolean
  /** The people who wrote there. */
  readonly writers: readonly Mentionable[]
}

/** Returns the people whom a text can mention: those who wrote in the group, and, once an `@` is written, its other members. */
export function usePeople(
  { instance, address, network, isGroup, writers }: Place,
  text: string,
): readonly Mentionable[] {
  const { sends = [], groups = [] } = network?.abilities ?? {}
  const canMention = isGroup && sends.includes('mention')
  const isAsked = useRef(false)
  // The network is asked once, and only if a person is to be mentioned.
  isAsked.current ||= canMention && groups.includes('get') && text.includes('@')
  const request = { params: { name: instance, address } }
  const { data } = useCall('getGroup', isAsked.current ? request : null)
  return useMemo(() => {
    if (!canMention) return []
    const known = new Set(writers.map((each) => each.address))
    const others = (data?.members ?? []).filter((member) => !known.has(member.address))
    return [...writers, ...others.map((member) => ({ address: member.address, name: member.name }))]
  }, [canMention, writers, data])
}
