import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { contentOfFlags, refuseDropped } from './contents.ts'

type Given = Parameters<typeof contentOfFlags>[0]

/** The content that these flags describe, if they go together. */
function sent(flags: Partial<Given>) {
  const content = contentOfFlags(flags as Given)
  refuseDropped(flags)
  return content
}

const welcome = { template: 'welcome', language: 'en_US' }

describe('the values of a template', () => {
  const parametersIn = (values: string) => {
    const content = sent({ ...welcome, values })
    assert.ok(content?.kind === 'template')
    return content.body.components?.[0]?.parameters
  }

  test('come in the order of their numbers, and have commas where no name follows', () => {
    const texts = ['Ana', '4711, and more', '', 'a=b']
    assert.deepEqual(
      parametersIn('2=4711, and more, 1=Ana,3=,4=a=b'),
      texts.map((text) => ({ type: 'text', text })),
    )
  })

  test('keep their names', () => {
    assert.deepEqual(parametersIn('customer=Ana, order=4711'), [
      { type: 'text', parameter_name: 'customer', text: 'Ana' },
      { type: 'text', parameter_name: 'order', text: '4711' },
    ])
  })

  test('need not be there', () => {
    assert.deepEqual(sent(welcome)?.body, { name: 'welcome', language: 'en_US' })
  })
})

test('flags that lack others, or have no place, are told', () => {
  const wrong: readonly (readonly [Partial<Given>, RegExp])[] = [
    [{ template: 'welcome' }, /needs its --language/],
    [{ ...welcome, text: 'a' }, /--text and --template do not go together/],
    [{ ...welcome, list: 'a', 'list-button': 'b' }, /give only one of .*--template/],
    [{ ...welcome, values: '1=a,3=b' }, /all of them, from 1 on/],
    [{ ...welcome, values: 'a' }, /a list such as 1=4711,2=Monday/],
    [{ ...welcome, values: '' }, /a list such as 1=4711,2=Monday/],
    [{ ...welcome, values: 'day=a,day=b' }, /each placeholder once/],
    [{ text: 'a', values: '1=b' }, /--values and --text do not go together/],
    [{ text: 'a', list: 'b' }, /as --list-button/],
    [{ list: 'b', 'list-button': 'c' }, /--list needs the question as --text/],
    [{ text: 'a', 'list-button': 'c' }, /--list-button and --text do not go together/],
    [{ text: 'a', 'url-button': 'Track it' }, /a title and a URL/],
    [{ language: 'en_US' }, /--language goes only with --template/],
  ]
  for (const [flags, sentence] of wrong)
    assert.throws(() => sent(flags), { name: 'WrongUsage', message: sentence }, JSON.stringify(flags))
})
