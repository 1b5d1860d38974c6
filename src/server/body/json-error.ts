import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser'

/** The fault, and the correct form, by the parser's name of the error. */
const faults: Readonly<Record<string, string>> = {
  InvalidSymbol: 'this is not a JSON value; names and strings must be in double quotes',
  InvalidNumberFormat: 'this is not a JSON number',
  UnexpectedEndOfNumber: 'a digit is expected',
  PropertyNameExpected: 'a name in double quotes is expected, and no comma before `}`',
  ValueExpected: 'a value is expected',
  ColonExpected: 'a colon is expected',
  CommaExpected: 'a comma is expected, or the end of the list or object',
  CloseBraceExpected: 'a comma or `}` is expected',
  CloseBracketExpected: 'a comma or `]` is expected',
  EndOfFileExpected: 'the body must end here: send one JSON object',
  InvalidCommentToken: 'JSON has no comments',
  UnexpectedEndOfComment: 'JSON has no comments',
  UnexpectedEndOfString: 'this string has no closing quote; write a line break in a string as `\\n`',
  InvalidUnicode: '`\\u` needs four hexadecimal digits',
  InvalidEscapeCharacter: 'JSON has no such escape sequence after `\\`',
  InvalidCharacter: 'write a control character in a string as an escape, such as `\\t`',
}

/** A sentence about the first fault in a text that is not valid JSON. It repeats nothing of the text. */
export function whereJsonFails(text: string): string | undefined {
  const fault = firstFault(text)
  if (!fault) return undefined
  const before = text.slice(0, fault.offset)
  const lineStart = before.lastIndexOf('\n') + 1
  const line = before.split('\n').length
  const column = [...before.slice(lineStart)].length + 1
  return `The body is not valid JSON at line ${line}, column ${column}: ${faults[printParseErrorCode(fault.error)]}.`
}

function firstFault(text: string): ParseError | undefined {
  const errors: ParseError[] = []
  try {
    parse(text, errors, { disallowComments: true })
  } catch {
    // The parser calls itself for each level, and the caller sent a hundred thousand of them.
    return undefined
  }
  return errors[0]
}
