import type { TObject } from 'typebox'
import { Compile } from 'typebox/compile'
import type { InvalidValue } from './problem.ts'

/** Checks a value and names everything in it that does not fit; an empty list means that it fits. */
export type Validate = (value: unknown) => InvalidValue[]

interface SchemaError {
  readonly keyword: string
  readonly instancePath: string
  readonly params: object
}

/** Compiles a schema once. `prefix` stands before every pointer, for example `query` or `/settings`. */
export function validator(schema: TObject, prefix = ''): Validate {
  const compiled = Compile(schema)
  return (value) => {
    if (compiled.Check(value)) return []
    const errors = compiled.Errors(value) as unknown as readonly SchemaError[]
    const faults = withoutRepeats(errors.flatMap((error) => describe(error, prefix)))
    return faults.length > 0 ? faults : [invalidValue(prefix, ...wrongShape)]
  }
}

const words: Readonly<Record<string, readonly [code: string, detail: string]>> = {
  boolean: ['unknown_field', 'There is no such field here.'],
  type: ['wrong_type', 'The value has the wrong type.'],
  pattern: ['wrong_form', 'The value does not have the documented form.'],
  format: ['wrong_form', 'The value does not have the documented form.'],
  enum: ['not_allowed', 'The value is not one of the documented ones.'],
  const: ['not_allowed', 'The value is not one of the documented ones.'],
  anyOf: ['not_allowed', 'The value has none of the documented shapes.'],
  minLength: ['too_short', 'The text is shorter than documented.'],
  maxLength: ['too_long', 'The text is longer than documented.'],
  minimum: ['out_of_range', 'The number is smaller than documented.'],
  maximum: ['out_of_range', 'The number is larger than documented.'],
  maxProperties: ['too_many', 'There are more entries than documented.'],
  propertyNames: ['wrong_form', 'The name of an entry does not have the documented form.'],
}

const wrongShape = ['invalid', 'The value does not fit the contract.'] as const

function describe({ keyword, instancePath, params }: SchemaError, prefix: string): InvalidValue[] {
  const at = (name: string) => `${prefix}${instancePath}/${escapePointer(name)}`
  if (keyword === 'required') {
    const { requiredProperties } = params as { requiredProperties: string[] }
    return requiredProperties.map((name) => invalidValue(at(name), 'missing', 'The value is required.'))
  }
  // Unknown fields are reported one by one, as values that fit nothing, and then all together; the list may end between.
  if (keyword === 'additionalProperties') return []
  const [code, detail] = words[keyword] ?? wrongShape
  return [invalidValue(`${prefix}${instancePath}`, code, detail)]
}

function invalidValue(pointer: string, code: string, detail: string): InvalidValue {
  // Cut so that a long name is not sent back whole, and never into half a character.
  return { pointer: pointer.slice(0, 200).toWellFormed(), code, detail }
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** The first complaint about each place; an alternative that fails complains once for every branch. */
function withoutRepeats(errors: InvalidValue[]): InvalidValue[] {
  const places = new Map(errors.toReversed().map((error) => [error.pointer, error]))
  return [...places.values()].reverse().slice(0, 50)
}
