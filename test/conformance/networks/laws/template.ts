import assert from 'node:assert/strict'
import { Compile } from 'typebox/compile'
import { Template } from '../../../../src/contract/resources/template.ts'
import { placePattern, type TemplatesAnswer } from '../../../../src/networks/driver/abilities/templates.ts'
import { templateFaults } from '../../../../src/networks/kit/template-check.ts'
import { newMessageId } from '../../../kit/networks/new-message-id.ts'
import { type LawFixture, law, present } from '../fixture.ts'
import type { Harness } from '../harness.ts'
import type { Session } from '../session.ts'

/** Laws of templates, on the networks that have them; on the others, that there is nothing of them. */
export function templateLaws(harness: Harness): void {
  const { driver } = harness
  law(harness, 'it lists templates if it declares them, and only then', async (fixture) => {
    const { connection } = await fixture.open()
    assert.equal(connection.listTemplates !== undefined, driver.templates !== undefined)
  })
  if (!driver.templates) return
  law(harness, 'templates are listed page by page, each of them once', async (fixture) => {
    const session = await fixture.open()
    const whole = await pagesOf(session, 50)
    assert.ok(whole.flat().length > 1, 'the far end has templates')
    const paged = await pagesOf(session, 1)
    assert.ok(paged.every((page) => page.length <= 1))
    assert.deepEqual(paged.flat(), whole.flat())
  })
  law(harness, 'a place in the list that no page gave is refused, or leads to nothing', async (fixture) => {
    const session = await fixture.open()
    for (const after of ['x', '-1', 'e'.repeat(1024), '&limit=1', '%00'])
      assert.ok(['listed', 'rejected'].includes((await ask(session, 10, after)).kind), after)
  })
  law(harness, 'who has given up, or asks through a closed connection, is answered', async (fixture) => {
    const session = await fixture.open()
    const signal = AbortSignal.abort()
    const given = await present(session.connection.listTemplates).call(session.connection, {
      limit: 1,
      after: null,
      signal,
    })
    assert.ok(given.kind === 'unanswered' || given.kind === 'listed')
    await session.close()
    assert.equal((await ask(session, 1, null)).kind, 'unanswered')
  })
  sendingLaws(harness)
}

function sendingLaws(harness: Harness): void {
  const { driver } = harness
  const templates = () => present(harness.templates)
  law(harness, 'a message from an approved template arrives, and no other does', async (fixture) => {
    const session = await fixture.open()
    const recipient = await fixture.recipient()
    assert.deepEqual(templateFaults(driver, templates().approved), [])
    const id = newMessageId()
    const outcome = await session.sendTemplate(recipient.address, templates().approved, id)
    await recipient.arrived(fixture.idOf(id, outcome))
    assert.equal(recipient.arrivals.all.length, 1)
  })
  for (const state of ['unknown', 'paused', 'wrong_parameters'] as const)
    law(harness, `a template is refused for good: ${state}`, async (fixture) => {
      const session = await fixture.open()
      const recipient = await fixture.recipient()
      const template = templates()[state]
      assert.deepEqual(templateFaults(driver, template), [], 'only the network can know')
      const outcome = await session.sendTemplate(recipient.address, template)
      assert.ok(outcome.kind === 'rejected' && outcome.error.permanent, `it was ${outcome.kind}`)
      assert.equal(outcome.error.code, codes[state])
      await noneArrived(fixture, session, recipient)
    })
}

/** The same on every network with templates, so that callers need not know which it is. */
const codes = {
  unknown: 'template_unknown',
  paused: 'template_paused',
  wrong_parameters: 'template_parameters_wrong',
} as const

async function noneArrived(
  fixture: LawFixture,
  session: Session,
  recipient: Awaited<ReturnType<LawFixture['recipient']>>,
): Promise<void> {
  await fixture.deliver(session, recipient)
  assert.equal(recipient.arrivals.all.length, 1, 'only the text that followed')
}

const isTemplate = Compile(Template)

async function ask(session: Session, limit: number, after: string | null): Promise<TemplatesAnswer> {
  const { connection } = session
  const signal = AbortSignal.timeout(60_000)
  return await present(connection.listTemplates).call(connection, { limit, after, signal })
}

async function pagesOf(session: Session, limit: number) {
  const pages = []
  for (let after: string | null = null, first = true; first || after !== null; first = false) {
    const answer = await ask(session, limit, after)
    assert.ok(answer.kind === 'listed', JSON.stringify(answer))
    for (const template of answer.templates) assert.ok(isTemplate.Check(template), JSON.stringify(template))
    assert.ok(answer.next === null || new RegExp(placePattern).test(answer.next))
    pages.push(answer.templates)
    assert.ok(pages.length < 100, 'the list ends')
    after = answer.next
  }
  return pages
}
