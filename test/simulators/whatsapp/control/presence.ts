import { showWriting } from '../people/presence.ts'
import type { WhatsApp } from '../whatsapp.ts'

/** Acts of people that leave no message: they write, they are there, and they have pictures. */
export const presenceActions = {
  /** A person writes to another, or in a group, or ends to. Returns the number of clients that are told. */
  showWriting: (
    whatsapp: WhatsApp,
    wish: {
      readonly person: string
      readonly to: string
      readonly state: 'composing' | 'paused'
      readonly media?: 'audio'
      readonly times?: number
    },
  ): number => {
    const author = whatsapp.directory.get(wish.person)
    let told = 0
    for (let time = 0; time < (wish.times ?? 1); time++) told = showWriting(whatsapp, author, wish)
    return told
  },

  /** Returns what the clients of a person have shown of them, or wanted to see. Waits until there are at least `count` of a kind. */
  shown: async (
    { counters, waiting }: WhatsApp,
    wish: { readonly person: string; readonly what?: string; readonly count?: number },
  ) => {
    const seen = () =>
      counters.shown.filter(
        ({ person, what }) => person === wish.person && (wish.what === undefined || wish.what === what),
      )
    await waiting.until(() => seen().length >= (wish.count ?? 0))
    return seen()
  },

  /** Gives a person, or a group, a picture: bytes in base64, or none. */
  setPicture: (
    { directory, groups, media }: WhatsApp,
    { of, bytes }: { readonly of: string; readonly bytes: string | null },
  ): void => {
    const owner = groups.get(of) ?? directory.get(of)
    owner.picture = bytes === null ? undefined : media.put(Buffer.from(bytes, 'base64'))
  },
}
