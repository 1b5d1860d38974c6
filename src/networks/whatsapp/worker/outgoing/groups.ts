import type { GroupMetadata } from 'baileys'
import { Cache } from '../cache.ts'

/** Groups that are remembered, and the milliseconds for which each is. */
const maxGroups = 100
const rememberedFor = 60 * 60 * 1000

/** Times in a row that a group is asked for if it changes before each answer comes. */
const maxQuestions = 3

/** The part of a socket that asks for groups. Rejects with the error of WhatsApp if the account may not see one. */
export interface AsksForGroups {
  groupMetadata(group: string): Promise<GroupMetadata>
}

interface Question {
  readonly group: string
  /** The group changed after it was asked: the answer may be of the time before. */
  isOutdated: boolean
}

/** The groups of a client and their members, each until WhatsApp tells that it has changed. */
export class Groups {
  readonly #known = new Cache(maxGroups, rememberedFor)
  readonly #questions = new Set<Question>()

  /** A group and its members, as WhatsApp says now if it is `fresh`. Rejects as the socket does. */
  async of(sock: AsksForGroups, group: string, fresh = false): Promise<GroupMetadata> {
    const known = fresh ? undefined : this.#known.get<GroupMetadata>(group)
    if (known) return known
    for (let questions = 1; ; questions += 1) {
      const { found, isOutdated } = await this.#ask(sock, group)
      if (!isOutdated || questions === maxQuestions) return found
    }
  }

  /** From now on, who is in the group must be asked again. */
  forget(group: string): void {
    this.#known.del(group)
    for (const question of this.#questions) question.isOutdated ||= question.group === group
  }

  async #ask(sock: AsksForGroups, group: string): Promise<{ found: GroupMetadata; isOutdated: boolean }> {
    const question: Question = { group, isOutdated: false }
    this.#questions.add(question)
    try {
      const found = await sock.groupMetadata(group)
      if (!question.isOutdated) this.#known.set(group, found)
      return { found, isOutdated: question.isOutdated }
    } finally {
      this.#questions.delete(question)
    }
  }
}
