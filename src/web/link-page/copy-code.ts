import { Component, h } from 'preact'
import { copyText } from '../browser/copy.ts'
import { Sign } from './icon.ts'
import { say } from './words.ts'

/** Milliseconds for which the button says that it has copied. */
const shownFor = 3_000

/** Copies a code as it is typed: what separates its groups is for the eye. */
export class CopyCode extends Component<{ readonly code: string }, { readonly isCopied: boolean }> {
  #timer: ReturnType<typeof setTimeout> | undefined

  override state = { isCopied: false }

  readonly #copy = async () => {
    await copyText(this.props.code.replaceAll(/[\s-]/g, ''))
    clearTimeout(this.#timer)
    this.setState({ isCopied: true })
    this.#timer = setTimeout(() => this.setState({ isCopied: false }), shownFor)
  }

  override componentWillUnmount(): void {
    clearTimeout(this.#timer)
  }

  override render() {
    return h(
      'p',
      { class: 'copy' },
      h(
        'button',
        { type: 'button', class: 'primary', onClick: this.#copy },
        h(Sign, { name: 'copy' }),
        say('copy_code'),
      ),
      h('span', { role: 'status' }, this.state.isCopied && say('copied')),
    )
  }
}
