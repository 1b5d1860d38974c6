import { h } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type LanguageTag, languageName, languages } from '../../../../locales/languages.ts'
import { RefusedError } from '../../../browser/refused.ts'
import { language } from '../../../browser/words.ts'
import { isSignedIn, signIn } from '../../core/api.ts'
import { setLanguage } from '../../core/language.ts'
import { contract } from '../../core/operations.ts'
import { Button, Submit } from '../../parts/button.ts'
import { CodeBlock } from '../../parts/copy.ts'
import { Failure } from '../../parts/failure.ts'
import { TextField } from '../../parts/forms/fields.ts'
import { Icon, Mark } from '../../parts/icon.ts'
import { say } from '../../words/say.ts'
import { type Proof, proofIn } from './proof.ts'

const codeForm = /^#code=([\w-]+)$/

/** Returns true if the person came with a link that holds a one-time code. */
export function hasCode(): boolean {
  return codeForm.test(location.hash)
}

/** The code of a link from the command line, taken from the address at once, so that it stays in no history. */
function takeCode(): string | undefined {
  const code = codeForm.exec(location.hash)?.[1]
  if (code !== undefined) history.replaceState(null, '', location.pathname)
  return code
}

/** Redeems the code of the link that was opened, and of those that follow, until the function that it returns is called. */
function takeCodes(redeem: (code: string) => void): () => void {
  const take = () => {
    const code = takeCode()
    if (code !== undefined) redeem(code)
  }
  take()
  addEventListener('hashchange', take)
  return () => removeEventListener('hashchange', take)
}

/** The reason why a person is not signed in, as it is shown. */
type Fault =
  | 'key'
  | 'token'
  | 'customers_link'
  | { readonly usedLink: { readonly isSignedIn: boolean } }
  | { readonly error: unknown }

/** Asks for a key, unless the person came with a link that holds a one-time code. */
export function SignIn({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const [secret, setSecret] = useState('')
  const [fault, setFault] = useState<Fault>()
  const [isBusy, setBusy] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const exchange = async (proof: Proof) => {
    setBusy(true)
    setFault(undefined)
    try {
      await signIn(proof)
      setSecret('')
      onSignedIn()
    } catch (refusal) {
      setFault(await faultOf(proof, refusal))
      setBusy(false)
    }
  }
  useEffect(() => {
    document.title = `${say('sign_in.title')} – Posthorn`
    return takeCodes((code) => exchange({ code }))
  }, [])
  // One can type or paste at once; on a phone, a keyboard would cover the page before it was read.
  useLayoutEffect(() => {
    if (!matchMedia('(pointer: coarse)').matches) form.current?.querySelector('input')?.focus()
  }, [])
  const submit = (event: Event) => {
    event.preventDefault()
    const proof = proofIn(secret)
    if (proof) exchange(proof)
    else setFault('customers_link')
  }
  return h(
    'main',
    { class: 'alone sign-in', id: 'main', tabIndex: -1 },
    h('p', { class: 'brand' }, h(Mark, null), 'Posthorn'),
    h('h1', null, say('sign_in.title')),
    h('p', { class: 'host' }, location.host),
    location.protocol === 'http:' && !isLocal() && h('p', { class: 'warning' }, say('sign_in.plain_http')),
    h(
      'form',
      { onSubmit: submit, class: 'panel', ref: form },
      h(TextField, {
        label: say('sign_in.key'),
        hint: say('sign_in.key_hint'),
        type: 'password',
        placeholder: 'phk_…',
        value: secret,
        onChange: setSecret,
        required: true,
      }),
      fault !== undefined && h(Refusal, { fault, onContinue: onSignedIn }),
      h(Submit, { isBusy }, say('sign_in.submit')),
    ),
    h('p', { class: 'small' }, say('sign_in.link_hint')),
    h(CodeBlock, { text: 'npx posthorn console', label: say('sign_in.command') }),
    h(Foot, null),
  )
}

async function faultOf(proof: Proof, refusal: unknown): Promise<Fault> {
  if (!(refusal instanceof RefusedError) || refusal.status !== 401) return { error: refusal }
  // A person who clicks a used link again may still be signed in; only they can tell if that is the session they want.
  if ('code' in proof) return { usedLink: { isSignedIn: await isSignedIn().catch(() => false) } }
  return 'key' in proof ? 'key' : 'token'
}

const advice = {
  key: 'sign_in.check_key',
  token: 'sign_in.check_token',
  customers_link: 'sign_in.is_customers_link',
} as const

/** The reason why the person is not signed in, and what to do about it. */
function Refusal({ fault, onContinue }: { readonly fault: Fault; readonly onContinue: () => void }) {
  if (typeof fault === 'string')
    return h(
      'div',
      { class: 'failure', role: 'alert' },
      h('p', null, h('strong', null, say('sign_in.not_accepted')), ' ', say(advice[fault])),
    )
  if ('error' in fault) return h(Failure, { error: fault.error })
  return h(
    'div',
    { class: 'failure', role: 'alert' },
    h('p', null, say('sign_in.used_link')),
    // The way back to the session that this browser may have.
    fault.usedLink.isSignedIn &&
      h('button', { type: 'button', onClick: onContinue }, say('sign_in.keep_session')),
  )
}

/** The version, the reference, and the other languages, each by its own name. */
function Foot() {
  const others = languages.filter(({ tag }) => tag !== language())
  const change = (tag: LanguageTag) => () => setLanguage(tag)
  return h(
    'footer',
    { class: 'small' },
    h('span', null, `Posthorn ${contract.version}`),
    h('a', { href: 'docs' }, say('frame.reference')),
    h(
      'span',
      { class: 'languages' },
      h(Icon, { name: 'language' }),
      others.map(({ tag }) =>
        h(
          'span',
          { key: tag, lang: tag },
          h(Button, { look: 'link', onClick: change(tag) }, languageName(tag)),
        ),
      ),
    ),
  )
}

function isLocal(): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(location.hostname)
}
