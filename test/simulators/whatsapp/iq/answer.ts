import { type Connection, newId } from '../connection.ts'
import { misbehaviour } from '../misbehaviour.ts'
import type { WhatsApp } from '../whatsapp.ts'
import { type Node, node } from '../wire/node.ts'
import { answerGroup } from './groups.ts'
import { answerKeys } from './keys.ts'
import { answerLinking } from './linking.ts'
import { answerMediaConnection } from './media.ts'
import { answerMex } from './mex.ts'
import { answerPicture } from './pictures.ts'
import { type Answer, firstChild, type Question } from './question.ts'
import { answerAppState, answerPassive, answerPrivacy, answerProps } from './settings.ts'
import { answerUsync } from './usync.ts'

const empty = (): Answer => []

/** Answers by namespace. Questions in other namespaces get an empty result and count as unknown. */
const answers: Readonly<Record<string, (question: Question) => Answer | undefined>> = {
  abt: answerProps,
  blocklist: () => [node('list')],
  disappearing_mode: empty,
  encrypt: answerKeys,
  md: answerLinking,
  passive: answerPassive,
  privacy: answerPrivacy,
  status: empty,
  usync: answerUsync,
  'w:g2': answerGroup,
  'w:m': answerMediaConnection,
  'w:mex': answerMex,
  'w:p': empty,
  'w:profile:picture': answerPicture,
  'w:stats': empty,
  'w:sync:app:state': answerAppState,
}

/** Answers a question of a client, with the fault that is planned for it. */
export function answerIq(whatsapp: WhatsApp, connection: Connection, iq: Node): void {
  const { xmlns = '', id = newId(), to = 's.whatsapp.net' } = iq.attrs
  const fault = whatsapp.faults.take('iq', connection.account?.pn, xmlns)
  if (fault?.kind === 'delay') {
    setTimeout(() => answer({ whatsapp, connection, iq }, { id, to }), fault.milliseconds)
    return
  }
  if (fault?.kind === 'refuse') {
    const error = node('error', { code: String(fault.code), text: 'refused', ...fault.attributes })
    connection.send(node('iq', { from: to, type: 'error', id }, [error]))
    return
  }
  if (fault?.kind === 'drop') return
  if (fault && misbehaviour(connection, fault)) return
  answer({ whatsapp, connection, iq }, { id, to })
}

function answer(question: Question, { id, to }: { readonly id: string; readonly to: string }): void {
  const { whatsapp, connection, iq } = question
  const { xmlns = '' } = iq.attrs
  const content = answers[xmlns]?.(question)
  const about = firstChild(iq)?.tag
  whatsapp.counters.question(about === undefined ? xmlns : `${xmlns}/${about}`, content !== undefined)
  const isError = content !== undefined && 'code' in content
  const result = isError
    ? node('iq', { from: to, type: 'error', id }, [
        node('error', { code: String(content.code), text: content.text }),
      ])
    : node('iq', { from: to, type: 'result', id }, content?.length ? content : undefined)
  const meanwhile = actBefore(connection, xmlns)
  if (meanwhile) void meanwhile().then(() => connection.send(result))
  else connection.send(result)
}

/** Takes out what is to happen before this client has its answer. */
function actBefore({ account }: Connection, xmlns: string): (() => Promise<unknown>) | undefined {
  const planned = account?.beforeAnswer
  if (!account || planned?.xmlns !== xmlns) return undefined
  account.beforeAnswer = undefined
  return planned.act
}
