/** A flag of a command. */
export interface Option {
  readonly type: 'string' | 'boolean'
  /** Name of the value in the help, for example `NAME`. */
  readonly value?: string
  readonly description: string
  readonly required?: boolean
}

export type Options = Readonly<Record<string, Option>>

/** Values of options, as they were given. */
export type Values<O extends Options> = {
  readonly [Flag in keyof O]:
    | { readonly boolean: boolean; readonly string: string }[O[Flag]['type']]
    | (O[Flag] extends { readonly required: true } ? never : undefined)
}

/** One command of `posthorn`. Its file is named after its words, the verb first. */
export interface Command<O extends Options = Options> {
  /** Its words, for example `keys create`. */
  readonly name: string
  readonly summary: string
  /** Operands that must follow the name, for example `NAME`. */
  readonly operands: readonly string[]
  readonly options: O
  /** Gets the operands in their order, and the options, once they were found to fit. */
  run(given: { readonly operands: readonly string[]; readonly options: Values<O> }): Promise<void>
}

/** Declares a command. Most have no operands, and some no options. */
export function command<const O extends Options = Record<never, never>>(
  declared: Pick<Command<O>, 'name' | 'summary' | 'run'> & Partial<Command<O>>,
): Command {
  return { operands: [], options: {}, ...declared } as unknown as Command
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
export const json = { type: 'boolean', description: 'Print JSON, for programs.' } as const satisfies Option

/** The way a command is called, as one line. */
export function synopsisOf({ name, operands, options }: Command): string {
  const flags = Object.entries(options).map(([flag, { value, required }]) => {
    const text = value === undefined ? `--${flag}` : `--${flag} ${value}`
    return required ? text : `[${text}]`
  })
  return ['posthorn', name, ...operands, ...flags].join(' ')
}
