/** A flag of a command. */
export interface Option {
  readonly type: 'string' | 'boolean'
  /** Name of the value in the help, for example `NAME`. */
  readonly value?: string
  readonly description: string
  readonly required?: boolean
}

/** Arguments of a command, once they were found to fit. */
export interface Given {
  /** One for each of the command's operands, in their order. */
  readonly operands: readonly string[]
  readonly options: Readonly<Record<string, string | boolean | undefined>>
}

/** One command of `posthorn`. Its file is named after its words, the verb first. */
export interface Command {
  /** Its words, for example `keys create`. */
  readonly name: string
  readonly summary: string
  /** Operands that must follow the name, for example `NAME`. */
  readonly operands: readonly string[]
  readonly options: Readonly<Record<string, Option>>
  /** Runs the command. Returns the exit code if that is not 0. */
  run(given: Given): Promise<number | undefined>
}

/** The command was called wrongly: exit code 2. The message is a sentence without a full stop. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage'
}

/** The command cannot do it, and the message says why and what to do next: exit code 1. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
}

/** The flag that every command has which prints a result. */
export const json: Option = { type: 'boolean', description: 'Print JSON, for programs.' }

/** The way a command is called, as one line. */
export function synopsisOf({ name, operands, options }: Command): string {
  const flags = Object.entries(options).map(([flag, { value, required }]) => {
    const text = value === undefined ? `--${flag}` : `--${flag} ${value}`
    return required ? text : `[${text}]`
  })
  return ['posthorn', name, ...operands, ...flags].join(' ')
}
