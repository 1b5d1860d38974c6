import { type CodeMeaning, sentencesOf } from '../../contract/codes.ts'
import type { DescribedReason } from '../driver/driver.ts'
import type { EndingKind, Reason } from '../driver/observation.ts'
import type { NetworkError, Notice } from '../driver/outcome.ts'

/** The codes of a network as it reports them: each with the sentences of its row. `more` is a sentence about this case, after a space. */
export function coded<
  Reasons extends Readonly<Record<string, DescribedReason>>,
  Errors extends Readonly<Record<string, CodeMeaning>>,
  Notices extends Readonly<Record<string, CodeMeaning>>,
>({ reasons, errors, notices }: { reasons: Reasons; errors: Errors; notices: Notices }) {
  return {
    /** The observation of a connection that ends for this reason. */
    endingOf(
      code: keyof Reasons & string,
      more = '',
    ): { readonly kind: EndingKind; readonly reason: Reason } {
      const { ends, ...meaning } = reasons[code] as DescribedReason
      return { kind: ends, reason: { code, detail: `${sentencesOf(meaning)}${more}` } }
    },
    /** The error of a message, with the network's own code if it has one. */
    errorOf(code: keyof Errors & string, permanent: boolean, networkCode?: string): NetworkError {
      const error = { code, detail: sentencesOf(errors[code] as CodeMeaning), permanent }
      return networkCode ? { ...error, network_code: networkCode } : error
    },
    noticeOf(code: keyof Notices & string, more = ''): Notice {
      return { code, detail: `${sentencesOf(notices[code] as CodeMeaning)}${more}` }
    },
  }
}
