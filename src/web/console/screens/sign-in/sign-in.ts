import { h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { RefusedError } from '../../../browser/refused.ts'
import { isSignedIn, signIn } from '../../core/api.ts'
import { Submit } from '../../parts/button.ts'
import { Failure } from '../../parts/failure.ts'
import { TextField } from '../../parts/forms/fields.ts'
import { say } from '../../words/say.ts'

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

/** Asks for a key, unless the person came with a link that holds a one-time code. */
export function SignIn({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const [secret, setSecret] = useState('')
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const [usedLink, setUsedLink] = useState<{ readonly isSignedIn: boolean }>()
  const exchange = async (proof: Parameters<typeof signIn>[0]) => {
    setBusy(true)
    setError(undefined)
    setUsedLink(undefined)
    try {
      await signIn(proof)
      setSecret('')
      onSignedIn()
    } catch (refusal) {
      const isUsed = 'code' in proof && refusal instanceof RefusedError && refusal.status === 401
      // A person who clicks a used link again may still be signed in; only they can tell if that is the session they want.
      if (isUsed) setUsedLink({ isSignedIn: await isSignedIn().catch(() => false) })
      else setError(refusal)
      setBusy(false)
    }
  }
  useEffect(() => {
    document.title = `${say('sign_in.title')} – Posthorn`
    return takeCodes((code) => exchange({ code }))
  }, [])
  const submit = (event: Event) => {
    event.preventDefault()
    const text = secret.trim()
    exchange(text.startsWith('phk_') ? { key: text } : { operator_token: text })
  }
  return h(
    'main',
    { class: 'sign-in', id: 'main', tabIndex: -1 },
    h('h1', null, say('sign_in.title')),
    h('p', null, say('sign_in.what')),
    location.protocol === 'http:' && !isLocal() && h('p', { class: 'warning' }, say('sign_in.plain_http')),
    h(
      'form',
      { onSubmit: submit },
      h(TextField, {
        label: say('sign_in.key'),
        hint: say('sign_in.key_hint'),
        type: 'password',
        value: secret,
        onChange: setSecret,
        required: true,
      }),
      h(Failure, { error }),
      usedLink && h(UsedLink, { ...usedLink, onContinue: onSignedIn }),
      h(Submit, { isBusy }, say('sign_in.submit')),
    ),
    h('p', { class: 'hint' }, say('sign_in.link_hint')),
    h('p', null, h('code', null, 'npx posthorn console')),
  )
}

/** A link that no longer works, and the way back to the session that this browser may have. */
function UsedLink(props: { readonly isSignedIn: boolean; readonly onContinue: () => void }) {
  return h(
    'div',
    { class: 'failure', role: 'alert' },
    h('p', null, say('sign_in.used_link')),
    props.isSignedIn &&
      h('button', { type: 'button', onClick: props.onContinue }, say('sign_in.keep_session')),
  )
}

function isLocal(): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(location.hostname)
}
