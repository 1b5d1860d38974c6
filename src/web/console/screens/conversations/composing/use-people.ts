import { useMemo, useState } from 'preact/hooks'
import { useCall } from '../../../core/hooks/use-call.ts'
import type { Network } from '../../../core/operations.ts'
import type { NameOf } from '../../../parts/message/mentioned.ts'
import type { Mentionable } from './mentions.ts'

interface Place {
  readonly instance: string
  readonly address: string
  readonly network: Network | undefined
  readonly isGroup: boolean
  /** The people who wrote there. */
  readonly writers: readonly Mentionable[]
  /** The addresses of the people whom its messages mention. */
  readonly mentioned: ReadonlySet<string>
}

/** The people of a conversation, as far as they are known. */
export interface People {
  /** Those whom a text can mention: those who wrote in the group, and its other members. */
  readonly mentionable: readonly Mentionable[]
  readonly nameOf: NameOf
  /** Has the network asked for the other members, once: for when a person is to be mentioned. */
  readonly ask: () => void
}

/** Knows the people of a conversation. The network is asked for members only if a name is missing, or a person is to be mentioned. */
export function usePeople({ instance, address, network, isGroup, writers, mentioned }: Place): People {
  const { sends = [], groups = [] } = network?.abilities ?? {}
  const canMention = isGroup && sends.includes('mention')
  const [isAsked, setAsked] = useState(false)
  const names = useMemo(
    () => new Map(writers.flatMap((each) => (each.name === null ? [] : [[each.address, each.name]]))),
    [writers],
  )
  const isMissing = [...mentioned].some((each) => !names.has(each))
  const mayAsk = isGroup && groups.includes('get') && (isAsked || isMissing)
  const request = { params: { name: instance, address } }
  const members = useCall('getGroup', mayAsk ? request : null).data?.members
  return useMemo(() => {
    const known = new Set(writers.map((each) => each.address))
    const others = (members ?? []).filter((member) => !known.has(member.address))
    const memberNames = new Map(members?.map((member) => [member.address, member.name]))
    return {
      mentionable: canMention
        ? [...writers, ...others.map((member) => ({ address: member.address, name: member.name }))]
        : [],
      nameOf: (one: string) => names.get(one) ?? memberNames.get(one) ?? one,
      ask: () => setAsked(true),
    }
  }, [canMention, writers, members, names])
}
